// The rung of a verdict on the escalation ladder, and the next one.
#include "policy/verdict/escalation.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/verdict/verdict_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::EqualsProto;
using testing::Parse;

struct LadderCase {
  const char* name;
  // Of the policy, in addition to a budget `a` with limit 4.
  const char* spec;
  // Units of it used before.
  int used;
  const char* stake;
  const char* escalation;  // empty: none
};

class Ladder : public VerdictTest,
               public ::testing::WithParamInterface<LadderCase> {
 protected:
  v1::Decision Decided() {
    const auto [verdict, accounts] = Price(TheCase());
    v1::Decision decision = DecisionOf(verdict);
    FillEscalation(TheCase(), verdict, accounts, decision);
    return decision;
  }
};

TEST_P(Ladder, NamesThisRungAndTheNext) {
  Policy(std::string("budgets { key: 'a' value { limit: 4 } } ") +
         GetParam().spec);
  diagnosis_.mutable_culprit()->set_node("n");
  diagnosis_.set_fingerprint("f");
  (*ledger_.mutable_budgets())["a"].set_used(GetParam().used);
  stake_ = Parse<v1::Stake>(GetParam().stake);
  const v1::Decision decision = Decided();
  EXPECT_EQ(decision.has_escalation(), *GetParam().escalation != '\0');
  EXPECT_THAT(decision.escalation(),
              EqualsProto(Parse<v1::Escalation>(GetParam().escalation)));
}

#define RETRY_WITH(more) \
  "default { action: RETRY budget: 'a' " more " } max_attempts: 90 "
#define ELSEWHERE "placement { avoid_failed_node {} } "
// Nothing becomes DETERMINISTIC.
#define NEVER "derivation { same_fingerprint: 0 } "

INSTANTIATE_TEST_SUITE_P(
    Verdict, Ladder,
    ::testing::Values(
        LadderCase{"TheSameAgainUntilTheBudgetIsSpent", RETRY_WITH("") NEVER, 0,
                   "", "rung: IN_PLACE next: PERSON after: 4"},
        LadderCase{"TheLastRetry", RETRY_WITH("") NEVER, 3, "",
                   "rung: IN_PLACE next: PERSON after: 1"},
        LadderCase{"NothingLeft", RETRY_WITH("") NEVER, 4, "", "rung: PERSON"},
        LadderCase{"AnotherNodeFirst", RETRY_WITH(ELSEWHERE) NEVER, 0, "",
                   "rung: ANOTHER_NODE next: PERSON after: 4"},
        LadderCase{"AnotherNodeLater",
                   RETRY_WITH("placement { avoid_failed_node { after: 3 } } ")
                       NEVER,
                   0, "", "rung: IN_PLACE next: ANOTHER_NODE after: 2"},
        LadderCase{"OnDemandAfter",
                   RETRY_WITH("placement { on_demand_after: 3 } ") NEVER, 0, "",
                   "rung: IN_PLACE next: ON_DEMAND after: 2"},
        LadderCase{"OnDemandForTheLast",
                   RETRY_WITH("placement { avoid_failed_node {} "
                              "on_demand_for_last: 1 } ") NEVER,
                   0, "", "rung: ANOTHER_NODE next: ON_DEMAND after: 3"},
        LadderCase{"OnDemand",
                   RETRY_WITH("placement { on_demand_for_last: 1 } ") NEVER, 3,
                   "", "rung: ON_DEMAND next: PERSON after: 1"},
        LadderCase{"MoreMemory",
                   RETRY_WITH("resources { memory_factor: 2 } ") NEVER, 0, "",
                   "rung: MORE_RESOURCES next: PERSON after: 4"},
        LadderCase{"SoonDeterministic", RETRY_WITH(ELSEWHERE), 0, "alike: 1",
                   "rung: ANOTHER_NODE next: PERSON after: 2"},
        LadderCase{"SoonStoppedByARule",
                   "rules { name: 'again' when { alike { from: 2 } } then { "
                   "action: FAIL } } " RETRY_WITH("") NEVER,
                   0, "alike: 1", "rung: IN_PLACE next: PERSON after: 1"},
        LadderCase{"SoonTooManyHours",
                   RETRY_WITH("passes: 0.3") NEVER
                   "worth { weighs: 1 person_hours: 0 } ",
                   0, "hours: 10 good_hours: 10",
                   "rung: IN_PLACE next: PERSON after: 1"},
        LadderCase{"AnotherBudgetPaysOn",
                   "budgets { key: 'b' value { limit: 2 on_exhausted { action: "
                   "RETRY budget: 'a' } } } default { action: RETRY budget: "
                   "'b' } max_attempts: 90 " NEVER,
                   0, "", "rung: IN_PLACE next: PERSON after: 6"},
        LadderCase{"APersonAtOnce", "default { action: FAIL }", 0, "",
                   "rung: PERSON"},
        LadderCase{"NothingIsTried", "default { action: IGNORE }", 0, "", ""}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan
