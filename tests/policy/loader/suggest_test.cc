#include "policy/loader/suggest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

const std::vector<std::string> kKeys = {"maxAttempts", "budgets", "rules",
                                        "default",     "when",    "then"};

struct NearestCase {
  const char* name;
  const char* word;
  const char* nearest;
};

class NearestTest : public ::testing::TestWithParam<NearestCase> {};

TEST_P(NearestTest, FindsTheIntendedName) {
  EXPECT_EQ(Nearest(GetParam().word, kKeys), GetParam().nearest);
}

INSTANTIATE_TEST_SUITE_P(
    Table, NearestTest,
    ::testing::Values(NearestCase{"Exact", "rules", "rules"},
                      NearestCase{"SnakeCase", "max_attempts", "maxAttempts"},
                      NearestCase{"KebabCase", "max-attempts", "maxAttempts"},
                      NearestCase{"OtherCase", "MAXATTEMPTS", "maxAttempts"},
                      NearestCase{"LetterMissing", "budgts", "budgets"},
                      NearestCase{"LetterTooMany", "defaullt", "default"},
                      NearestCase{"LettersSwapped", "ruels", "rules"},
                      NearestCase{"NothingNear", "selector", ""},
                      NearestCase{"TwoEquallyNear", "xhen", ""},
                      NearestCase{"Empty", "", ""}),
    [](const auto& test) { return test.param.name; });

TEST(NearestTest, DoesNotCompareLongTexts) {
  EXPECT_EQ(Nearest(std::string(10'000, 'a'), {std::string(10'000, 'a')}), "");
}

TEST(NearestTest, KnowsNothingWithoutCandidates) {
  EXPECT_EQ(Nearest("rules", {}), "");
}

}  // namespace
}  // namespace mulligan
