#include "policy/decide.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/budget/ledger.h"
#include "policy/limits.h"
#include "tests/policy/decide_fixture.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::EqualsProto;
using ::testing::HasSubstr;
using testing::Parse;
using testing::PartiallyEqualsProto;
using testing::PolicyOf;
using testing::StatusIs;

TEST_F(DecideTest, AnOutOfMemoryKillGetsMoreMemoryElsewhere) {
  const v1::DecideResponse response = Ask(OutOfMemory());
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_THAT(response.decision(), PartiallyEqualsProto(R"pb(
                action: RETRY
                scope: POD
                queue: IN_PLACE
                requires_recreate: true
                last_attempt: true
                resources { resource: "memory" factor: 1.5 container: "main" }
                placement {
                  on_demand: true
                  on_demand_reason: "memory: 1 of 1 used"
                  avoid_nodes {
                    node: "n1"
                    expires_at { seconds: 103600 }
                    reason: "CONTAINER_OOM on this node"
                  }
                }
              )pb"));
  EXPECT_THAT(response.decision().sentence(),
              AllOf(HasSubstr(": retry the pod at once"),
                    HasSubstr(" with memory x1.5"),
                    HasSubstr("; charged to memory (1 of 1 used).")));
  EXPECT_THAT(response.decision().escalation(),
              EqualsProto("rung: MORE_RESOURCES next: PERSON after: 1"));
  EXPECT_EQ(response.accounting().stake().ran().seconds(), 901);
  EXPECT_THAT(response.accounting(), PartiallyEqualsProto(R"pb(
                charged_to: "memory"
                units: 1
                budgets { name: "application" limit: 2 remaining: 2 }
                budgets { name: "memory" used: 1 limit: 1 }
                budgets { name: "start" limit: 1 remaining: 1 }
                attempts: 1
                max_attempts: 5
              )pb"));
  EXPECT_THAT(response.ledger(), PartiallyEqualsProto(R"pb(
                workload_uid: "w"
                attempts_seen: 1
                budgets {
                  key: "memory"
                  value { used: 1 }
                }
              )pb"));
  EXPECT_THAT(response.ledger().history(0), PartiallyEqualsProto(R"pb(
                attempt: 1
                cause: CONTAINER_OOM
                charged_to: "memory"
                node: "n1"
                used: 1
                bound: 1
                ran_for { seconds: 901 }
              )pb"));
  EXPECT_THAT(
      response.explanation(), PartiallyEqualsProto(R"pb(
        decided_by: RULE
        matched_rule { policy: "test" rule: "out-of-memory" file: "test.yaml" }
      )pb"));
  EXPECT_THAT(response.policy(), EqualsProto("name: 'test' revision: 'r1'"));
}

TEST_F(DecideTest, TheFailureAfterTheLastToleratedOneFails) {
  EXPECT_EQ(AskNext(AppError(1)).decision().action(), v1::Decision::RETRY);
  const v1::DecideResponse last = AskNext(AppError(2));
  EXPECT_EQ(last.decision().action(), v1::Decision::RETRY);
  EXPECT_TRUE(last.decision().last_attempt());
  const v1::DecideResponse failed = AskNext(AppError(3));
  EXPECT_EQ(failed.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(failed.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_THAT(
      failed.accounting().exhaustion(),
      EqualsProto("limit: BUDGET budget: 'application' used: 2 bound: 2 cause: "
                  "APP_ERROR"));
  EXPECT_EQ(failed.accounting().attempts(), 3);
  EXPECT_EQ(failed.explanation().decided_by(), v1::Explanation::BUDGET);
  EXPECT_FALSE(failed.decision().has_retry_after());
}

TEST_F(DecideTest, ARepeatedReportGetsTheSameVerdictAndCostsNothing) {
  for (const auto& request : {OutOfMemory(1), OutOfMemory(2), AppError(3)}) {
    const v1::DecideResponse first = AskNext(request);
    const v1::DecideResponse again = AskNext(request);
    EXPECT_THAT(again.decision(), EqualsProto(first.decision()));
    EXPECT_THAT(again.ledger(), EqualsProto(first.ledger()));
    EXPECT_THAT(again.accounting().exhaustion(),
                EqualsProto(first.accounting().exhaustion()));
    EXPECT_TRUE(again.accounting().duplicate());
    EXPECT_EQ(again.accounting().units(), 0);
    EXPECT_EQ(again.explanation().decided_by(), v1::Explanation::DUPLICATE);
  }
}

// A report from a stale cache must not restart work that was given up.
TEST_F(DecideTest, AFailureBeforeTheEndIsNotRetriedAgain) {
  EXPECT_EQ(AskNext(OutOfMemory(1)).decision().action(), v1::Decision::RETRY);
  const v1::DecideResponse end = AskNext(OutOfMemory(2));
  EXPECT_EQ(end.decision().action(), v1::Decision::FAIL);
  const v1::DecideResponse late = AskNext(OutOfMemory(1));
  EXPECT_EQ(late.decision().action(), v1::Decision::IGNORE);
  EXPECT_EQ(late.diagnosis().cause(), v1::STALE_REPORT);
  EXPECT_EQ(late.diagnosis().outlook(), v1::Diagnosis::OUTLOOK_UNSPECIFIED);
  EXPECT_TRUE(late.accounting().duplicate());
  EXPECT_THAT(late.ledger(), EqualsProto(end.ledger()));
  EXPECT_EQ(AskNext(OutOfMemory(2)).decision().action(), v1::Decision::FAIL);
}

// Retrying pods one by one overtakes nothing; restarting the whole workload
// does.
TEST(IsOvertakenTest, OnlyByDecisionsAboutTheWholeWorkload) {
  const struct {
    v1::Decision::Action action;
    v1::Decision::Scope scope;
    bool overtakes;
  } kLater[] = {{v1::Decision::RETRY, v1::Decision::POD, false},
                {v1::Decision::RETRY, v1::Decision::INDEX, false},
                {v1::Decision::RETRY, v1::Decision::JOB_SET, true},
                {v1::Decision::FAIL, v1::Decision::INDEX, false},
                {v1::Decision::FAIL, v1::Decision::POD, true},
                {v1::Decision::FAIL, v1::Decision::JOB, true},
                {v1::Decision::WAIT, v1::Decision::JOB, false}};
  for (const auto& later : kLater) {
    v1::BudgetLedger ledger;
    ledger.add_history();
    v1::Decision& decision = *ledger.add_history()->mutable_decision();
    decision.set_action(later.action);
    decision.set_scope(later.scope);
    EXPECT_EQ(IsOvertaken(ledger, 0), later.overtakes)
        << decision.ShortDebugString();
    EXPECT_FALSE(IsOvertaken(ledger, 1));
  }
}

// A value of a newer version. JSON names unknown to this version read as unset.
struct NewerRow {
  const char* name;
  void (*change)(v1::AttemptRecord&);
};

constexpr NewerRow kNewer[] = {
    {"no action", [](auto& r) { r.mutable_decision()->clear_action(); }},
    {"action",
     [](auto& r) {
       r.mutable_decision()->set_action(static_cast<v1::Decision::Action>(9));
     }},
    {"no scope", [](auto& r) { r.mutable_decision()->clear_scope(); }},
    {"scope",
     [](auto& r) {
       r.mutable_decision()->set_scope(static_cast<v1::Decision::Scope>(99));
     }},
    {"queue",
     [](auto& r) {
       r.mutable_decision()->set_queue(static_cast<v1::Decision::Queue>(99));
     }},
    {"no cause", [](auto& r) { r.clear_cause(); }},
    {"cause", [](auto& r) { r.set_cause(static_cast<v1::Cause>(9999)); }},
    {"refusal",
     [](auto& r) {
       r.set_refused_by(static_cast<v1::AttemptRecord::Refusal>(99));
     }},
    {"derived cause",
     [](auto& r) { r.set_derived_cause(static_cast<v1::DerivedCause>(99)); }},
    {"no decision", [](auto& r) { r.clear_decision(); }},
};

TEST_F(DecideTest, ARecordOfANewerVersionIsDecidedAgainAndPaidOnce) {
  v1::DecideRequest request = OutOfMemory();
  const v1::DecideResponse first = Ask(request);
  for (const auto& newer : kNewer) {
    SCOPED_TRACE(newer.name);
    *request.mutable_ledger() = first.ledger();
    newer.change(*request.mutable_ledger()->mutable_history(0));
    const v1::DecideResponse again = Ask(request);
    EXPECT_THAT(again.decision(), EqualsProto(first.decision()));
    EXPECT_THAT(again.ledger(), EqualsProto(first.ledger()));
    EXPECT_FALSE(again.accounting().duplicate());
    EXPECT_THAT(again.warnings(),
                Contains(HasSubstr("ledger.history[0] says what only a newer "
                                   "version knows")));
  }
}

TEST_F(DecideTest, ARecordOfANewerVersionDoesNotAffectRunningWork) {
  for (const bool others_retried : {true, false}) {
    for (const auto& newer : kNewer) {
      SCOPED_TRACE(newer.name);
      v1::DecideRequest request = OutOfMemory();
      *request.mutable_inline_policy() =
          PolicyOf("default { action: FAIL } brake { mode: POLICY }", "mine");
      *request.mutable_ledger() = Ask(request).ledger();
      v1::AttemptRecord& record = *request.mutable_ledger()->mutable_history(0);
      record.mutable_decision()->set_action(
          others_retried ? v1::Decision::IGNORE : v1::Decision::FAIL);
      newer.change(record);
      auto& pod = *request.mutable_report()->mutable_pods(0);
      pod.mutable_metadata()->set_uid("next");
      pod.mutable_status()->Clear();
      pod.mutable_status()->set_phase("Running");
      const v1::DecideResponse response = Ask(request);
      EXPECT_EQ(response.diagnosis().cause(), v1::NOT_FAILED);
      EXPECT_EQ(response.decision().action(), v1::Decision::IGNORE);
      EXPECT_THAT(response.ledger(), EqualsProto(request.ledger()));
    }
  }
}

TEST_F(DecideTest, ReturnsAnOversizedLedgerWithinItsBound) {
  v1::DecideRequest request = OutOfMemory();
  *request.mutable_ledger() = Ask(request).ledger();
  auto& placement = *request.mutable_ledger()
                         ->mutable_history(0)
                         ->mutable_decision()
                         ->mutable_placement();
  for (auto& node : *placement.mutable_avoid_nodes()) {
    node.set_reason(std::string(kMaxNameBytes, '<'));
  }
  while (placement.avoid_nodes_size() < kMaxRecordAdvice) {
    *placement.add_avoid_nodes() = placement.avoid_nodes(0);
  }
  const v1::DecideResponse again = Ask(request);
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_LE(LedgerJsonBytes(again.ledger()), kMaxLedgerJsonBytes);
  EXPECT_EQ(again.ledger().budgets().at("memory").used(), 1);
}

TEST_F(DecideTest, WaitingIsDecidedAgainButPaidOnce) {
  auto request = Parse<v1::DecideRequest>(R"pb(
    report {
      observed_at { seconds: 100000 }
      failure_id: "f"
      workload { kind: "Pod" uid: "w" }
      pods {
        metadata { name: "p" uid: "p" }
        status {
          phase: "Pending"
          container_statuses {
            name: "main"
            state {
              waiting {
                reason: "ErrImagePull"
                message: "dial tcp: i/o timeout"
              }
            }
          }
        }
      }
    }
  )pb");
  const v1::DecideResponse first = AskNext(request);
  ASSERT_EQ(first.diagnosis().cause(), v1::IMAGE_PULL_TRANSIENT);
  EXPECT_EQ(first.decision().action(), v1::Decision::WAIT);
  EXPECT_EQ(first.accounting().charged_to(), "start");
  const v1::DecideResponse again = AskNext(request);
  EXPECT_THAT(again.decision(), EqualsProto(first.decision()));
  EXPECT_THAT(again.ledger(), EqualsProto(first.ledger()));
  request.mutable_report()->set_failure_id("g");
  EXPECT_EQ(AskNext(request).decision().action(), v1::Decision::FAIL);
}

TEST_F(DecideTest, APastAttemptUnderAnotherIdIsStale) {
  v1::DecideRequest first = AppError(1);
  first.mutable_report()->set_attempt(2);
  AskNext(first);
  v1::DecideRequest late = AppError(7);
  late.mutable_report()->set_attempt(2);
  const v1::DecideResponse response = AskNext(late);
  EXPECT_EQ(response.decision().action(), v1::Decision::IGNORE);
  EXPECT_EQ(response.diagnosis().cause(), v1::STALE_REPORT);
  EXPECT_EQ(response.explanation().decided_by(), v1::Explanation::STALE);
  EXPECT_EQ(response.ledger().history_size(), 1);
  EXPECT_EQ(response.ledger().budgets().at("application").used(), 1);
}

TEST_F(DecideTest, TheLedgerOfAnotherWorkloadIsRefusedNamingBoth) {
  v1::DecideRequest request = AppError();
  request.mutable_ledger()->set_workload_uid("other-uid");
  v1::DecideResponse response;
  EXPECT_THAT(Try(request, response),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("other-uid"), HasSubstr("UID w"))));
}

TEST_F(DecideTest, NamedPolicies) {
  v1::DecideRequest request = AppError();
  request.set_policy("test");
  EXPECT_EQ(Ask(request).policy().name(), "test");
  request.set_policy("absent");
  v1::DecideResponse response;
  EXPECT_THAT(Try(request, response),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("\"absent\"")));
}

TEST_F(DecideTest, InlinePoliciesAreCompiledStrictly) {
  v1::DecideRequest request = AppError();
  *request.mutable_inline_policy() =
      PolicyOf("default { action: FAIL } max_attempts: 0", "Mine");
  v1::DecideResponse response;
  EXPECT_THAT(Try(request, response),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("metadata.name"),
                             HasSubstr("spec.maxAttempts"))));
  *request.mutable_inline_policy() =
      PolicyOf("default { action: FAIL }", "mine");
  const v1::DecideResponse answer = Ask(request);
  EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(answer.policy().name(), "mine");
  EXPECT_THAT(answer.policy().revision(), HasSubstr("inline-"));
}

TEST_F(DecideTest, AnInvalidRequestIsRefusedWithAllViolations) {
  v1::DecideRequest request;
  request.mutable_report()->set_attempt(0);
  request.mutable_ledger()->set_attempts_seen(-1);
  v1::DecideResponse response;
  EXPECT_THAT(Try(request, response),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("report.attempt: 0"),
                             HasSubstr("ledger.attemptsSeen: -1"))));
}

TEST_F(DecideTest, WithoutATimeUsesTheServersAndWarns) {
  v1::DecideRequest request = AppError();
  request.mutable_report()->clear_observed_at();
  const v1::DecideResponse response = Ask(request);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("observedAt is absent")));
  EXPECT_EQ(response.ledger().history(0).observed_at().seconds(), 200000);
}

TEST_F(DecideTest, SeedsAFirstLedgerFromNativeCounters) {
  auto request = Parse<v1::DecideRequest>(R"pb(
    report {
      observed_at { seconds: 100000 }
      ray_job {
        metadata { uid: "w" name: "r" }
        status {
          failed: 2
          job_status: "FAILED"
          job_deployment_status: "Failed"
          reason: "AppFailed"
          job_id: "x"
        }
      }
    }
  )pb");
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.ledger().seeded_from(), "RayJob.status.failed=2");
  EXPECT_EQ(response.accounting().attempts(), 2);
  EXPECT_EQ(response.ledger().budgets().at("application").used(), 2);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("earlier failure ")));
  *request.mutable_ledger() = Parse<v1::BudgetLedger>("workload_uid: 'w'");
  const v1::DecideResponse behind = Ask(request);
  EXPECT_EQ(behind.accounting().attempts(), 2) << "the higher count wins";
  EXPECT_THAT(behind.warnings(), Contains(HasSubstr("1 earlier failure that")));
}

}  // namespace
}  // namespace mulligan
