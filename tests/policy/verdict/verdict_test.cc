#include "policy/verdict/verdict.h"

#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/verdict/verdict_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::Parse;
using testing::PartiallyEqualsProto;

// Members that died because of it are gone, too.
TEST_F(VerdictTest, AGangOfAJobStartsAgainAsAWhole) {
  Policy(kRetry);
  workload_.set_kind("Job");
  report_.add_jobs()->mutable_spec()->set_completion_mode("Indexed");
  EXPECT_EQ(Decide().scope, v1::Decision::INDEX);
  diagnosis_.add_cascades()->set_pod("other");
  EXPECT_EQ(Decide().scope, v1::Decision::JOB);
}

TEST_F(VerdictTest, TheFirstMatchingRuleDecides) {
  Policy(std::string(kRetry) +
         "rules { name: 'other' when { causes: HANG } then { action: FAIL } } "
         "rules { name: 'one' when { causes: APP_ERROR } then { action: FAIL } "
         "} rules { name: 'two' when { kinds: 'Job' } then { action: IGNORE } "
         "}");
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.rule->rule(), "one");
  EXPECT_EQ(verdict.rules_tried, 1);
  EXPECT_EQ(verdict.action, v1::Decision::FAIL);
  EXPECT_EQ(verdict.decided_by, v1::Explanation::RULE);
}

TEST_F(VerdictTest, WithoutAMatchTheDefaultDecides) {
  Policy(kRetry);
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.rule->rule(), "default");
  EXPECT_EQ(verdict.action, v1::Decision::RETRY);
  EXPECT_EQ(verdict.used, 1);
  EXPECT_EQ(verdict.bound, 2);
  EXPECT_TRUE(verdict.recorded);
}

struct NotAFailure {
  v1::Cause cause;
  v1::Decision::Action action;

  friend std::ostream& operator<<(std::ostream& out, const NotAFailure& row) {
    return out << v1::Cause_Name(row.cause);
  }
};

class NotAFailureTest : public VerdictTest,
                        public ::testing::WithParamInterface<NotAFailure> {};

TEST_P(NotAFailureTest, CostsNothingUnderAnyPolicy) {
  Policy(std::string(kRetry) + "kill_switch { enabled: true } max_attempts: 1");
  diagnosis_.set_cause(GetParam().cause);
  diagnosis_.set_fault_domain(v1::Diagnosis::NONE);
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, GetParam().action);
  EXPECT_EQ(verdict.decided_by, v1::Explanation::NOT_A_FAILURE);
  EXPECT_EQ(verdict.charged, kNoBudget);
  EXPECT_FALSE(verdict.recorded);
}

INSTANTIATE_TEST_SUITE_P(
    Verdict, NotAFailureTest,
    ::testing::Values(NotAFailure{v1::SUCCEEDED, v1::Decision::IGNORE},
                      NotAFailure{v1::CANCELLED, v1::Decision::IGNORE},
                      NotAFailure{v1::STALE_REPORT, v1::Decision::IGNORE},
                      NotAFailure{v1::SUSPENDED, v1::Decision::WAIT}),
    [](const auto& row) { return v1::Cause_Name(row.param.cause); });

TEST_F(VerdictTest, TheKillSwitchRefusesRetriesOnly) {
  Policy(std::string(kRetry) +
         "kill_switch { enabled: true } rules { name: 'w' when { causes: "
         "UNSCHEDULABLE } then { action: WAIT } }");
  EXPECT_EQ(Decide().decided_by, v1::Explanation::KILL_SWITCH);
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  EXPECT_EQ(Decide().charged, kNoBudget);
  diagnosis_.set_cause(v1::UNSCHEDULABLE);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
}

TEST_F(VerdictTest, TheKillSwitchComesBeforeTheAttemptCap) {
  Policy(std::string(kRetry) + "kill_switch { enabled: true } max_attempts: 1");
  EXPECT_EQ(Decide().refused_by, v1::AttemptRecord::KILL_SWITCH);
}

TEST_F(VerdictTest, TheAttemptCapComesBeforeTheBudget) {
  Policy(std::string(kRetry) + "max_attempts: 3");
  attempts_ = 2;
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  EXPECT_TRUE(Decide().last_attempt);
  attempts_ = 3;
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, v1::Decision::FAIL);
  EXPECT_EQ(verdict.refused_by, v1::AttemptRecord::MAX_ATTEMPTS);
  EXPECT_EQ(verdict.used, 3);
  EXPECT_EQ(verdict.bound, 3);
}

TEST_F(VerdictTest, TheImpliedCapHoldsWhenALedgerWasLost) {
  Policy(kRetry);
  attempts_ = 3;
  EXPECT_EQ(Decide().refused_by, v1::AttemptRecord::MAX_ATTEMPTS);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  EXPECT_EQ(RefusingBudget(Decide()), "a")
      << "both are met: the budget says more";
}

TEST_F(VerdictTest, TheBudgetAfterItsLastUnitIsExhausted) {
  Policy(kRetry);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 1 } }");
  EXPECT_TRUE(Decide().last_attempt);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, v1::Decision::FAIL);
  EXPECT_EQ(RefusingBudget(verdict), "a");
  EXPECT_EQ(verdict.used, 2);
  EXPECT_EQ(verdict.bound, 2);
}

TEST_F(VerdictTest, ExhaustionMayWaitForASpecUpdateAtItsOwnScope) {
  Policy(
      "budgets { key: 'a' value { limit: 0 on_exhausted { action: "
      "WAIT_FOR_SPEC_UPDATE scope: WORKLOAD } } } default { action: RETRY "
      "budget: 'a' scope: POD }");
  EXPECT_EQ(Decide().action, v1::Decision::WAIT_FOR_SPEC_UPDATE);
  EXPECT_EQ(Decide().scope, v1::Decision::WORKLOAD);
}

TEST_F(VerdictTest, EscalationChargesTheNextBudget) {
  Policy(
      "budgets { key: 'a' value { limit: 0 on_exhausted { action: RETRY "
      "budget: 'b' } } } budgets { key: 'b' value { limit: 1 } } default { "
      "action: RETRY budget: 'a' scope: POD }");
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, v1::Decision::RETRY);
  EXPECT_EQ(verdict.charged, 1);
  EXPECT_TRUE(verdict.last_attempt);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'b' value { used: 1 } }");
  EXPECT_EQ(RefusingBudget(Decide()), "b");
  EXPECT_EQ(Decide().scope, v1::Decision::POD);
}

TEST_F(VerdictTest, DerivedCausesRefuseWhatTheBudgetWouldGrant) {
  Policy(kRetry);
  diagnosis_.set_derived_cause(v1::DETERMINISTIC);
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  EXPECT_EQ(Decide().refused_by, v1::AttemptRecord::DERIVED_CAUSE);
  EXPECT_EQ(Decide().charged, kNoBudget);
  diagnosis_.set_derived_cause(v1::POISON_JOB);
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  diagnosis_.set_derived_cause(v1::BAD_NODE);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
}

TEST_F(VerdictTest, AnExhaustedBudgetIsNamedBeforeADerivedCause) {
  Policy(kRetry);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  diagnosis_.set_derived_cause(v1::DETERMINISTIC);
  EXPECT_EQ(Decide().decided_by, v1::Explanation::BUDGET);
}

TEST_F(VerdictTest, ARuleForTheDerivedCauseHasTheLastWord) {
  Policy(std::string(kRetry) +
         "rules { name: 'd' when { derived_causes: DETERMINISTIC } then { "
         "action: RETRY budget: 'a' } }");
  diagnosis_.set_derived_cause(v1::DETERMINISTIC);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
}

TEST_F(VerdictTest, ACrashLoopBacksOffToTheMaximum) {
  Policy(
      "budgets { key: 'a' value { limit: 2 } } default { action: RETRY budget: "
      "'a' backoff { initial { seconds: 1 } max { seconds: 90 } jitter: 0 } }");
  EXPECT_EQ(Decide().delay, absl::Seconds(1));
  diagnosis_.set_derived_cause(v1::CRASH_LOOP);
  EXPECT_EQ(Decide().delay, absl::Seconds(90));
  Policy(kRetry);
  EXPECT_EQ(Decide().delay, absl::Minutes(10));
}

TEST_F(VerdictTest, ABadNodeIsAvoidedForcefullyWithoutARuleForIt) {
  Policy(kRetry);
  diagnosis_.mutable_culprit()->set_node("n");
  EXPECT_FALSE(Answer().has_placement());
  diagnosis_.set_derived_cause(v1::BAD_NODE);
  EXPECT_THAT(Answer(), PartiallyEqualsProto(
                            "placement { avoid_nodes { node: 'n' hard: true "
                            "expires_at { seconds: 103600 } } }"));
}

constexpr char kWait[] =
    "budgets { key: 'a' value { limit: 1 } } default { action: FAIL } rules { "
    "name: 'w' when { causes: APP_ERROR } then { action: WAIT after_grace { "
    "grace { seconds: 300 } action: RETRY budget: 'a' } } }";

TEST_F(VerdictTest, WaitsNoLongerThanTheGracePeriod) {
  Policy(kWait);
  since_ = kNow - absl::Seconds(280);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
  EXPECT_EQ(Decide().delay, absl::Seconds(20));
  EXPECT_FALSE(Decide().recorded);
  since_ = kNow - absl::Seconds(300);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  EXPECT_EQ(Decide().decided_by, v1::Explanation::GRACE);
  EXPECT_EQ(Decide().charged, 0);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 1 } }");
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
}

TEST_F(VerdictTest, SaysWhenAGracePeriodCannotBeMeasured) {
  Policy(kWait);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
  EXPECT_TRUE(Decide().grace_unknown);
}

TEST_F(VerdictTest, WaitingMayBePaidFor) {
  Policy(
      "budgets { key: 'a' value { limit: 1 } } default { action: WAIT budget: "
      "'a' backoff { initial { seconds: 7 } jitter: 0 } }");
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
  EXPECT_EQ(Decide().delay, absl::Seconds(7));
  EXPECT_EQ(Decide().charged, 0);
  EXPECT_TRUE(Decide().recorded);
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 1 } }");
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
}

// The operator is done with it: a wait without an end would never end.
TEST_F(VerdictTest, FinallyFailedWorkDoesNotWaitInVain) {
  const std::string rules =
      "budgets { key: 'a' value { limit: 2 } } budgets { key: 'b' value { "
      "limit: 2 } } default { action: RETRY budget: 'b' } ";
  workload_.set_kind("Job");
  auto& job = *report_.add_jobs();
  Policy(rules +
         "rules { name: 'q' when { causes: APP_ERROR } then { action: WAIT "
         "budget: 'a' } }");
  EXPECT_EQ(Decide().action, v1::Decision::WAIT) << "the queue admits it again";
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type("Failed");
  condition.set_status("True");
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  EXPECT_EQ(RefusingBudget(Decide()), "");
  EXPECT_EQ(Decide().charged, 0) << "by the budget that would have waited";
  EXPECT_TRUE(Answer().requires_recreate());
  ledger_ = Parse<v1::BudgetLedger>("budgets { key: 'a' value { used: 2 } }");
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  Policy(rules +
         "rules { name: 'q' when { causes: APP_ERROR } then { action: WAIT } "
         "}");
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  EXPECT_EQ(Decide().charged, 1) << "nothing is free: by the default";
  Policy(rules +
         "rules { name: 'q' when { causes: APP_ERROR } then { action: WAIT "
         "after_grace { grace { seconds: 60 } action: FAIL } } }");
  since_ = kNow;
  EXPECT_EQ(Decide().action, v1::Decision::FAIL) << "it changes no more";
  condition.set_type("FailureTarget");
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  condition.set_type("Suspended");
  EXPECT_EQ(Decide().action, v1::Decision::WAIT) << "this one has an end";
  condition.set_type("Failed");
  Policy(rules +
         "rules { name: 'i' when { derived_causes: INCIDENT } then { action: "
         "WAIT after_grace { grace { seconds: 60 } action: FAIL } } }");
  diagnosis_.set_derived_cause(v1::INCIDENT);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT)
      << "what others share may change";
}

TEST_F(VerdictTest, ADoubtfulRetryLooksForEvidenceFirst) {
  Policy(
      "budgets { key: 'a' value { limit: 1 } } default { action: RETRY budget: "
      "'a' evidence_deadline { seconds: 60 } }");
  since_ = kNow - absl::Seconds(20);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  diagnosis_.set_confidence(v1::Diagnosis::LOW);
  diagnosis_.add_needed_evidence()->set_what("node/n");
  EXPECT_THAT(Answer(),
              PartiallyEqualsProto("action: WAIT retry_after { seconds: 40 } "
                                   "evidence_deadline { seconds: 100040 }"));
  EXPECT_EQ(Decide().charged, kNoBudget);
  since_ = kNow - absl::Seconds(60);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
}

TEST_F(VerdictTest, AfterTheEvidenceDeadlineTheDefaultApplies) {
  Policy(
      "default { action: FAIL } rules { name: 'w' when { causes: APP_ERROR } "
      "then { action: WAIT evidence_deadline { seconds: 60 } } }");
  since_ = kNow - absl::Seconds(59);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
  EXPECT_EQ(Decide().delay, absl::Seconds(1));
  since_ = kNow - absl::Seconds(60);
  EXPECT_EQ(Decide().action, v1::Decision::FAIL);
  EXPECT_EQ(Decide().rule->rule(), "default");
  EXPECT_EQ(Decide().decided_by, v1::Explanation::EVIDENCE);
}

TEST_F(VerdictTest, APodIsNotRetriedPastTheDeadlineOfItsJob) {
  Policy(
      "budgets { key: 'a' value { limit: 9 } } default { action: RETRY budget: "
      "'a' backoff { initial { seconds: 30 } jitter: 0 } }");
  workload_.set_kind("Job");
  report_ = Parse<v1::FailureReport>(
      "jobs { spec { active_deadline_seconds: 60 } status { start_time { "
      "seconds: 99969 } } }");
  EXPECT_EQ(Decide().refused_by, v1::AttemptRecord::DEADLINE)
      << "30 s later it is past";
  report_.mutable_jobs(0)->mutable_status()->mutable_start_time()->set_seconds(
      99971);
  EXPECT_EQ(Decide().action, v1::Decision::RETRY);
  report_.mutable_jobs(0)->mutable_status()->mutable_start_time()->set_seconds(
      1);
  EXPECT_EQ(Decide().decided_by, v1::Explanation::DEADLINE);
}

// Delays, windows and deadlines count from the failure, not from the report.
TEST_F(VerdictTest, ADelayRunsSinceTheFailure) {
  Policy(
      "budgets { key: 'a' value { limit: 2 } } default { action: RETRY "
      "budget: 'a' backoff { initial { seconds: 60 } jitter: 0 } }");
  EXPECT_EQ(Decide().delay, absl::Seconds(60));
  failed_at_ = kNow - absl::Seconds(20);
  EXPECT_EQ(Decide().delay, absl::Seconds(40));
  failed_at_ = kNow - absl::Hours(2);
  EXPECT_EQ(Decide().delay, absl::ZeroDuration());
}

TEST_F(VerdictTest, AWindowStartsWithTheFailure) {
  Policy(
      "budgets { key: 'a' value { limit: 2 window { seconds: 3600 } } } "
      "default { action: RETRY budget: 'a' }");
  failed_at_ = kNow - absl::Minutes(50);
  EXPECT_EQ(Price(TheCase()).accounts.at(0).window_start, failed_at_);
}

// Only broken work is charged, retried or failed.
TEST_F(VerdictTest, LiveWorkIsIgnoredUnderAnyPolicy) {
  Policy("budgets { key: 'a' value { limit: 2 } } default { action: FAIL }");
  diagnosis_.set_situation(v1::Diagnosis::ALIVE);
  const Verdict verdict = Decide();
  EXPECT_EQ(verdict.action, v1::Decision::IGNORE);
  EXPECT_EQ(verdict.decided_by, v1::Explanation::NOT_A_FAILURE);
  EXPECT_FALSE(verdict.recorded);
}

TEST_F(VerdictTest, WorkThatMayGetStuckIsCheckedAgain) {
  Policy(kRetry);
  diagnosis_.set_cause(v1::NOT_FAILED);
  ask_again_ = kNow + absl::Minutes(7);
  EXPECT_EQ(Decide().action, v1::Decision::WAIT);
  EXPECT_EQ(Decide().delay, absl::Minutes(7));
  ask_again_ = kNow - absl::Minutes(7);
  EXPECT_EQ(Decide().delay, kPollInterval) << "never at once, in a loop";
  ask_again_ = kNow + absl::Hours(24 * 365);
  EXPECT_EQ(Decide().delay, absl::Minutes(11));
}

}  // namespace
}  // namespace mulligan
