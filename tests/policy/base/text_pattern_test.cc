#include "policy/base/text_pattern.h"

#include <re2/re2.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

std::string ErrorOf(const std::string& pattern) {
  std::string error;
  PatternAllowance allowance;
  EXPECT_THAT(MakePattern(pattern, allowance, error), IsNull());
  return error;
}

std::unique_ptr<const RE2> Made(const std::string& pattern) {
  std::string error;
  PatternAllowance allowance;
  auto made = MakePattern(pattern, allowance, error);
  EXPECT_THAT(made, NotNull()) << error;
  return made;
}

TEST(MakePatternTest, RefusesPatternsTooLongOrTooComplex) {
  Made(std::string(kMaxPatternBytes, 'a'));
  EXPECT_THAT(ErrorOf(std::string(kMaxPatternBytes + 1, 'a')),
              HasSubstr("has 1025 bytes, expected at most 1024"));
  EXPECT_THAT(ErrorOf("a("), HasSubstr("is not an RE2 expression"));
  Made("(?:ab){900}");
  EXPECT_THAT(ErrorOf("(?:abc){900}"),
              HasSubstr("instructions, expected at most 2000"));
  ErrorOf("((a{100}){100}){100}");
}

// As many searches as the allowance has steps for, and no more.
TEST(PatternAllowanceTest, EndsWithTheSteps) {
  const auto pattern = Made("a(b|c){100}d");
  const std::string text(100'000, 'x');
  const auto steps =
      static_cast<std::int64_t>(pattern->ProgramSize()) * 100'001;
  PatternAllowance allowance;
  for (std::int64_t i = 0; i < kMaxPatternSteps / steps; ++i) {
    EXPECT_FALSE(allowance.Find(*pattern, text));
    ASSERT_FALSE(allowance.used_up()) << i;
  }
  EXPECT_FALSE(allowance.Find(*pattern, text));
  EXPECT_TRUE(allowance.used_up());
}

TEST(PatternAllowanceTest, FindsNothingOnceUsedUp) {
  const auto pattern = Made("a");
  PatternAllowance allowance;
  EXPECT_TRUE(allowance.Find(*pattern, "cat"));
  EXPECT_FALSE(allowance.Find(*pattern, "dog"));
  const auto big = Made("(?:ab){900}");
  const std::string text(
      static_cast<std::size_t>(kMaxPatternSteps / big->ProgramSize()), 'x');
  EXPECT_FALSE(allowance.Find(*big, text));
  EXPECT_TRUE(allowance.used_up());
  EXPECT_FALSE(allowance.Find(*pattern, "cat"));
}

// A class of all alphabets takes a third of a millisecond to parse.
TEST(MakePatternTest, SlowCompilationUsesTheAllowanceUp) {
  std::string classes = "(?i)";
  for (int i = 0; i < 300; ++i) classes += "\\PL";
  PatternAllowance allowance(kMaxInlineCompileSteps);
  std::string error;
  EXPECT_THAT(MakePattern(classes, allowance, error), IsNull());
  EXPECT_THAT(error, HasSubstr("beyond what all patterns together may take"));
  EXPECT_TRUE(allowance.used_up());
}

TEST(MakePatternTest, AHundredUsualPatternsFitAnInlinePolicysAllowance) {
  PatternAllowance allowance(kMaxInlineCompileSteps);
  std::string error;
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(MakePattern("CUDA error: an illegal memory access was "
                            "encountered on device [0-9]+",
                            allowance, error),
                NotNull())
        << i << error;
  }
}

// A clock that advances at each look.
class FakeWatch final : public Watch {
 public:
  explicit FakeWatch(absl::Duration step) : step_(step) {}
  absl::Status Check() override {
    ++checks;
    return end;
  }
  absl::Duration Spent() override { return spent_ += step_; }

  absl::Status end;
  int checks = 0;

 private:
  const absl::Duration step_;
  absl::Duration spent_;
};

TEST(PatternAllowanceTest, AWatchEndsASearchBetweenItsPieces) {
  const auto pattern = Made("(?:ab){900}");
  const std::string text(64'000, 'x');
  FakeWatch watch(absl::ZeroDuration());
  PatternAllowance allowance(kMaxPatternSteps, &watch);
  EXPECT_FALSE(allowance.Find(*pattern, text));
  EXPECT_OK(allowance.CheckNow());
  EXPECT_GT(watch.checks, 100);
  watch.end = absl::DeadlineExceededError("over");
  EXPECT_FALSE(allowance.Find(*pattern, text));
  EXPECT_THAT(allowance.CheckNow(),
              testing::StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_FALSE(allowance.used_up());
}

TEST(PatternAllowanceTest, ASlowPatternIsNamed) {
  const auto pattern = Made("(?:ab){900}");
  FakeWatch watch(absl::Milliseconds(3));
  PatternAllowance allowance(kMaxPatternSteps, &watch);
  EXPECT_FALSE(allowance.Find(*pattern, std::string(64'000, 'x')));
  EXPECT_THAT(std::string(allowance.CheckNow().message()),
              HasSubstr("pattern \"(?:ab){900}\" takes too long in a text of "
                        "64000 bytes"));
}

}  // namespace
}  // namespace mulligan
