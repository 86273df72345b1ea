// Advice with a granted retry, and changes that would flip a verdict.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/answer/explain.h"
#include "policy/demystify/conclusion.h"
#include "policy/verdict/verdict.h"
#include "tests/policy/verdict/verdict_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Parse;
using testing::PartiallyEqualsProto;

TEST_F(VerdictTest, PlacementFollowsTheUseOfThePayingBudget) {
  Policy(
      "budgets { key: 'a' value { limit: 4 } } default { action: RETRY budget: "
      "'a' placement { on_demand_after: 3 } }");
  const auto on_demand = [this](int used) {
    (*ledger_.mutable_budgets())["a"].set_used(used);
    return Answer().placement().on_demand();
  };
  EXPECT_FALSE(on_demand(1));
  EXPECT_TRUE(on_demand(2));
  Policy(
      "budgets { key: 'a' value { limit: 4 } } default { action: RETRY budget: "
      "'a' placement { on_demand_for_last: 1 } }");
  EXPECT_FALSE(on_demand(2));
  EXPECT_TRUE(on_demand(3));
  Policy(
      "budgets { key: 'a' value { limit: 4 } } default { action: RETRY budget: "
      "'a' placement { on_demand_for_last: 4 } }");
  EXPECT_TRUE(on_demand(0)) << "as many as there are means all";
}

TEST_F(VerdictTest, TheFailedNodeIsAvoidedForAWhile) {
  Policy(
      "budgets { key: 'a' value { limit: 4 } } default { action: RETRY budget: "
      "'a' placement { avoid_failed_node { expires_after { seconds: 60 } } } "
      "}");
  EXPECT_FALSE(Answer().has_placement()) << "no node is known";
  diagnosis_.mutable_culprit()->set_node("n");
  EXPECT_THAT(Answer().placement(),
              PartiallyEqualsProto(
                  "avoid_nodes { node: 'n' expires_at { seconds: 100060 } }"));
}

TEST_F(VerdictTest, MemoryGrowsBeyondWhatWasGrantedUpToItsCap) {
  Policy(
      "budgets { key: 'a' value { limit: 9 } } default { action: RETRY budget: "
      "'a' resources { memory_factor: 1.5 max_factor: 3 storage_factor: 2 "
      "request_only: true } }");
  diagnosis_.mutable_culprit()->set_container("main");
  const auto memory_after = [this](double granted) {
    ledger_.Clear();
    v1::Decision& granted_retry = *ledger_.add_history()->mutable_decision();
    granted_retry.set_action(v1::Decision::RETRY);
    if (granted > 1) {
      v1::ResourceChange& change = *granted_retry.add_resources();
      change.set_resource("memory");
      change.set_container("main");
      change.set_factor(granted);
    }
    return Answer().resources(0).factor();
  };
  EXPECT_DOUBLE_EQ(memory_after(1), 1.5);
  EXPECT_DOUBLE_EQ(memory_after(1.5), 2.25);
  EXPECT_DOUBLE_EQ(memory_after(2.25), 3);
  EXPECT_DOUBLE_EQ(memory_after(3), 3);
  EXPECT_THAT(Answer().resources(1),
              PartiallyEqualsProto("resource: 'ephemeral-storage' factor: 2 "
                                   "request_only: true container: 'main'"));
}

TEST_F(VerdictTest, ChargesAloneGrowNothing) {
  Policy(
      "budgets { key: 'a' value { limit: 9 } } default { action: RETRY budget: "
      "'a' resources { memory_factor: 1.5 } }");
  (*ledger_.mutable_budgets())["a"].set_used(2);
  EXPECT_DOUBLE_EQ(Answer().resources(0).factor(), 1.5);
}

TEST_F(VerdictTest, GrowthIsRepeatedByLaterRetriesOfOtherCauses) {
  Policy(kRetry);
  ledger_ = Parse<v1::BudgetLedger>(
      "history { decision { action: RETRY resources { resource: 'memory' "
      "factor: 1.5 container: 'main' } } } history { decision { action: "
      "WAIT_FOR_SPEC_UPDATE } }");
  EXPECT_THAT(Answer().resources(0),
              PartiallyEqualsProto("resource: 'memory' factor: 1.5"));
}

TEST_F(VerdictTest, WarnsWhenGrowthHasReachedItsCap) {
  Policy(
      "budgets { key: 'a' value { limit: 9 } } default { action: RETRY budget: "
      "'a' resources { memory_factor: 2 max_factor: 2 } }");
  Answer();
  EXPECT_THAT(warnings_, IsEmpty());
  ledger_ = Parse<v1::BudgetLedger>(
      "history { decision { action: RETRY resources { resource: 'memory' "
      "factor: 2 } } } budgets { key: 'a' value { used: 1 } }");
  Answer();
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("greatest factor, 2")));
}

TEST_F(VerdictTest, CounterfactualsAreVerifiedFlips) {
  Policy(kRetry);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  const demystify::Signature row = {};
  demystify::Conclusion found;
  for (const v1::Cause cause : {v1::SUCCEEDED, v1::HANG}) {
    demystify::Candidate& fact = found.facts.emplace_back();
    fact.row = &row;
    fact.cause = cause;
  }
  found_ = &found;
  v1::Explanation explanation;
  ExplainFlips(TheCase(), Decide(), explanation);
  EXPECT_THAT(
      explanation,
      testing::EqualsProto(
          "counterfactuals { change: 'budget a had limit 3 instead of 2' "
          "verdict: 'retry the workload at once, charged to a' } "
          "counterfactuals { change: 'the cause were SUCCEEDED' verdict: "
          "'nothing to do' }"));
}

TEST_F(VerdictTest, AGrantedRetryNamesTheLimitThatWouldHaveRefusedIt) {
  Policy(kRetry);
  v1::Explanation first;
  ExplainFlips(TheCase(), Decide(), first);
  // "Limit 0 instead of 2" would only mean a policy without retries.
  EXPECT_THAT(first, testing::EqualsProto(""));
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 1 } }");
  v1::Explanation last;
  ExplainFlips(TheCase(), Decide(), last);
  EXPECT_THAT(last, testing::EqualsProto("counterfactuals { change: 'budget a "
                                         "had limit 1 instead of 2' verdict: "
                                         "'fail the workload' }"));
}

}  // namespace
}  // namespace mulligan
