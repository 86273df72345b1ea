// Retries that are expected to lose more hours than they save.
#include "policy/verdict/expected.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/answer/explain.h"
#include "tests/policy/verdict/verdict_fixture.h"

namespace mulligan {
namespace {

using testing::Parse;

constexpr char kThird[] =
    "budgets { key: 'a' value { limit: 9 } } "
    "default { action: RETRY budget: 'a' passes: 0.3 } "
    "worth { weighs: 1 given_up: 3 person_hours: 100 } ";

TEST(PassesOf, FollowsEarlierRetries) {
  const CompiledWorth worth = {.weighs = 2};
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, {}), 0.3);
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, Parse<v1::Stake>("failed_again: 1")),
                   0.2);
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, Parse<v1::Stake>("passed: 1")),
                   1.6 / 3);
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, {}, /*more=*/1), 0.2);
}

TEST(PassesOf, OthersAdjustTheRuleAndOwnRetriesCountMost) {
  const CompiledWorth worth = {.weighs = 2};
  const auto others =
      Parse<v1::Stake>("others_passed: 1 others_failed_again: 29");
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, others), 0.1);
  auto own = others;
  own.set_passed(2);
  EXPECT_DOUBLE_EQ(PassesOf(worth, 0.3, own), (0.2 + 2) / 4);
}

struct HoursRow {
  const char* name;
  const char* stake;
  v1::Decision::Action action;
};

class ExpectedHours : public VerdictTest,
                      public ::testing::WithParamInterface<HoursRow> {};

TEST_P(ExpectedHours, CountAgainstARetry) {
  Policy(kThird);
  stake_ = Parse<v1::Stake>(GetParam().stake);
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, GetParam().action);
  const bool refused = GetParam().action == v1::Decision::FAIL;
  EXPECT_EQ(verdict.decided_by == v1::Explanation::EXPECTED_HOURS, refused);
  EXPECT_EQ(verdict.charged == kNoBudget, refused);
}

INSTANTIATE_TEST_SUITE_P(
    Verdict, ExpectedHours,
    ::testing::Values(
        HoursRow{"NothingKnown", "", v1::Decision::RETRY},
        // 0.3 (3 x 40000 + 100) against 0.7 x 40000.
        HoursRow{"FirstOfALargeRun", "hours: 40000 good_hours: 40000",
                 v1::Decision::RETRY},
        // 0.15 x 220 against 0.85 x 40.
        HoursRow{"AgainAtTheSamePlace",
                 "hours: 40 good_hours: 40 failed_again: 1",
                 v1::Decision::FAIL},
        HoursRow{"AgainAndNearlyFree",
                 "hours: 0.01 good_hours: 0.01 failed_again: 3",
                 v1::Decision::RETRY},
        // The same after much good work: 0.15 x 400 against 0.85 x 40.
        HoursRow{"AgainAfterLongProgress",
                 "hours: 40 good_hours: 100 failed_again: 1",
                 v1::Decision::RETRY},
        HoursRow{"LostSinceTheLastCheckpoint", "hours: 500 good_hours: 10",
                 v1::Decision::FAIL},
        HoursRow{"PassesElsewhere",
                 "hours: 500 good_hours: 10 others_passed: 90",
                 v1::Decision::RETRY}),
    [](const auto& test) { return test.param.name; });

TEST_F(VerdictTest, HoursDoNotCountWithoutPasses) {
  Policy(kRetry);
  stake_ = Parse<v1::Stake>("hours: 1e6 failed_again: 1");
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  EXPECT_EQ(Decide().passes, std::nullopt);
}

TEST_F(VerdictTest, ExplainsWhichPassesWouldHaveRetried) {
  Policy(kThird);
  stake_ = Parse<v1::Stake>("hours: 40 good_hours: 40 failed_again: 1");
  v1::Explanation explanation;
  ExplainFlips(TheCase(), Decide(), explanation);
  ASSERT_EQ(explanation.counterfactuals_size(), 1);
  EXPECT_EQ(explanation.counterfactuals(0).change(),
            "passes of the rule were 0.31 instead of 0.3");
  EXPECT_THAT(explanation.counterfactuals(0).verdict(),
              ::testing::StartsWith("retry"));
}

TEST_F(VerdictTest, ExplainsNothingIfNoPassesWouldHaveRetried) {
  Policy(kThird);
  stake_ = Parse<v1::Stake>("hours: 1e6 failed_again: 4");
  v1::Explanation explanation;
  ExplainFlips(TheCase(), Decide(), explanation);
  EXPECT_TRUE(explanation.counterfactuals().empty());
}

}  // namespace
}  // namespace mulligan
