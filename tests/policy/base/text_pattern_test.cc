#include "policy/base/text_pattern.h"

#include <re2/re2.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

std::string ErrorOf(const std::string& pattern) {
  std::string error;
  EXPECT_THAT(MakePattern(pattern, error), IsNull());
  return error;
}

std::unique_ptr<const RE2> Made(const std::string& pattern) {
  std::string error;
  auto made = MakePattern(pattern, error);
  EXPECT_THAT(made, NotNull()) << error;
  return made;
}

TEST(MakePatternTest, RefusesWhatIsTooLongOrTooComplex) {
  Made(std::string(kMaxPatternBytes, 'a'));
  EXPECT_THAT(ErrorOf(std::string(kMaxPatternBytes + 1, 'a')),
              HasSubstr("has 1025 bytes, expected at most 1024"));
  EXPECT_THAT(ErrorOf("a("), HasSubstr("is not an RE2 expression"));
  Made("(?:ab){900}");
  EXPECT_THAT(ErrorOf("(?:abc){900}"),
              HasSubstr("instructions, expected at most 2000"));
  ErrorOf("((a{100}){100}){100}");
}

// As many searches as the allowance has steps for, and not one more.
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

TEST(PatternAllowanceTest, NothingIsFoundAfterwards) {
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

}  // namespace
}  // namespace mulligan
