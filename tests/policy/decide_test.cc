#include "policy/decide.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::Contains;
using testing::EqualsProto;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::Parse;
using testing::PartiallyEqualsProto;
using testing::PolicyOf;
using testing::SetOf;
using testing::StatusIs;

constexpr char kSpec[] = R"pb(
  budgets {
    key: "application"
    value { limit: 2 }
  }
  budgets {
    key: "memory"
    value { limit: 1 }
  }
  budgets {
    key: "start"
    value { limit: 1 }
  }
  rules {
    name: "out-of-memory"
    when { causes: CONTAINER_OOM }
    then {
      action: RETRY
      budget: "memory"
      resources { memory_factor: 1.5 }
      placement {
        avoid_failed_node {}
        on_demand_after: 1
      }
      backoff { initial { seconds: 10 } }
    }
  }
  rules {
    name: "starting"
    when { causes: [ IMAGE_PULL_TRANSIENT ] }
    then { action: WAIT budget: "start" }
  }
  default {
    action: RETRY
    budget: "application"
    backoff { initial { seconds: 10 } }
  }
  derivation { same_fingerprint: 0 crash_loop_failures: 0 }
)pb";

// The pod of attempt `attempt`, whose main container ended this way.
v1::DecideRequest Failure(int attempt, int exit_code, const char* reason) {
  auto request = Parse<v1::DecideRequest>(R"pb(
    report {
      observed_at { seconds: 100000 }
      workload { kind: "Pod" uid: "w" name: "p" }
      pods {
        metadata { name: "p" uid: "p" }
        spec {
          node_name: "n1"
          containers { name: "main" }
        }
        status {
          phase: "Failed"
          container_statuses {
            name: "main"
            state { terminated { started_at { seconds: 99000 } } }
          }
        }
      }
    }
  )pb");
  auto& pod = *request.mutable_report()->mutable_pods(0);
  pod.mutable_metadata()->set_uid(absl::StrCat("p", attempt));
  auto& ended = *pod.mutable_status()
                     ->mutable_container_statuses(0)
                     ->mutable_state()
                     ->mutable_terminated();
  ended.set_exit_code(exit_code);
  ended.set_reason(reason);
  ended.mutable_finished_at()->set_seconds(99900 + attempt);
  return request;
}

v1::DecideRequest AppError(int attempt = 1) {
  return Failure(attempt, 1, "Error");
}
v1::DecideRequest OutOfMemory(int attempt = 1) {
  return Failure(attempt, 137, "OOMKilled");
}

class DecideTest : public ::testing::Test {
 protected:
  void SetUp() override { Use(kSpec); }
  void Use(const std::string& spec) { policies_ = SetOf(spec); }

  absl::Status Try(const v1::DecideRequest& request,
                   v1::DecideResponse& response) {
    google::protobuf::Timestamp now;
    now.set_seconds(200000);
    return Decide(request, *policies_, now, response);
  }
  v1::DecideResponse Ask(const v1::DecideRequest& request) {
    v1::DecideResponse response;
    EXPECT_THAT(Try(request, response), IsOk());
    return response;
  }
  // The next call of a caller that stores its ledger.
  v1::DecideResponse AskNext(v1::DecideRequest request) {
    if (has_ledger_) *request.mutable_ledger() = ledger_;
    v1::DecideResponse response = Ask(request);
    ledger_ = response.ledger();
    has_ledger_ = true;
    return response;
  }

  std::unique_ptr<const PolicySet> policies_;
  v1::BudgetLedger ledger_;
  bool has_ledger_ = false;
};

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
  EXPECT_THAT(
      response.decision().sentence(),
      AllOf(HasSubstr(": retry the pod in "), HasSubstr(" with memory x1.5"),
            HasSubstr("; charged to memory (1 of 1 used).")));
  EXPECT_THAT(response.accounting(), EqualsProto(R"pb(
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
        decided_by: "rule"
        matched_rule { policy: "test" rule: "out-of-memory" file: "test.yaml" }
      )pb"));
  EXPECT_THAT(response.policy(), EqualsProto("name: 'test' revision: 'r1'"));
}

TEST_F(DecideTest, TheFailureAfterTheLastToleratedOneFails) {
  EXPECT_EQ(AskNext(AppError(1)).decision().action(), v1::RETRY);
  const v1::DecideResponse last = AskNext(AppError(2));
  EXPECT_EQ(last.decision().action(), v1::RETRY);
  EXPECT_TRUE(last.decision().last_attempt());
  const v1::DecideResponse failed = AskNext(AppError(3));
  EXPECT_EQ(failed.decision().action(), v1::FAIL);
  EXPECT_EQ(failed.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_THAT(failed.accounting().exhaustion(),
              EqualsProto("limit: 'application' used: 2 bound: 2 cause: "
                          "APP_ERROR"));
  EXPECT_EQ(failed.accounting().attempts(), 3);
  EXPECT_EQ(failed.explanation().decided_by(), "budget");
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
    EXPECT_EQ(again.explanation().decided_by(), "duplicate");
  }
}

TEST_F(DecideTest, WaitingIsDecidedAnewButPaidOnce) {
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
  EXPECT_EQ(first.decision().action(), v1::WAIT);
  EXPECT_EQ(first.accounting().charged_to(), "start");
  const v1::DecideResponse again = AskNext(request);
  EXPECT_THAT(again.decision(), EqualsProto(first.decision()));
  EXPECT_THAT(again.ledger(), EqualsProto(first.ledger()));
  request.mutable_report()->set_failure_id("g");
  EXPECT_EQ(AskNext(request).decision().action(), v1::FAIL);
}

TEST_F(DecideTest, APastAttemptUnderAnotherIdIsStale) {
  v1::DecideRequest first = AppError(1);
  first.mutable_report()->set_attempt(2);
  AskNext(first);
  v1::DecideRequest late = AppError(7);
  late.mutable_report()->set_attempt(2);
  const v1::DecideResponse response = AskNext(late);
  EXPECT_EQ(response.decision().action(), v1::IGNORE);
  EXPECT_EQ(response.diagnosis().cause(), v1::STALE_REPORT);
  EXPECT_EQ(response.explanation().decided_by(), "stale");
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
  EXPECT_EQ(answer.decision().action(), v1::FAIL);
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

TEST_F(DecideTest, WithoutATimeTheServersIsUsedAndSaid) {
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
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("earlier failures")));
  *request.mutable_ledger() = Parse<v1::BudgetLedger>("workload_uid: 'w'");
  EXPECT_EQ(Ask(request).accounting().attempts(), 1) << "a ledger was sent";
}

TEST_F(DecideTest, FullExplanationsTellWhatWasTried) {
  v1::DecideRequest request = AppError();
  request.set_explain(v1::DecideRequest::FULL);
  const v1::Explanation explanation = Ask(request).explanation();
  ASSERT_EQ(explanation.rules_tried_size(), 2);
  EXPECT_EQ(explanation.rules_tried(0).failed_predicate(),
            "causes: APP_ERROR is not one of [CONTAINER_OOM]");
  EXPECT_EQ(explanation.decided_by(), "default");
  EXPECT_THAT(explanation.counterfactuals(), Not(IsEmpty()));
}

TEST_F(DecideTest, NoExplanationWhenNoneIsWanted) {
  v1::DecideRequest request = AppError();
  request.set_explain(v1::DecideRequest::EXPLAIN_NONE);
  EXPECT_FALSE(Ask(request).has_explanation());
}

TEST_F(DecideTest, UnknownEnumsAreAnsweredWithAWarning) {
  v1::DecideRequest request = AppError();
  request.set_explain(static_cast<v1::DecideRequest::Explain>(77));
  request.set_purpose(static_cast<v1::DecideRequest::Purpose>(78));
  const v1::DecideResponse response = Ask(request);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("explain 77")));
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("purpose 78")));
  EXPECT_TRUE(response.has_explanation());
}

TEST_F(DecideTest, PreviewsAreAnsweredTheSame) {
  v1::DecideRequest request = AppError();
  const std::string enforced = Bytes(Ask(request));
  request.set_purpose(v1::DecideRequest::PREVIEW);
  EXPECT_EQ(Bytes(Ask(request)), enforced);
}

TEST_F(DecideTest, SameRequestSameBytesAndId) {
  AskNext(AppError(1));
  v1::DecideRequest request = OutOfMemory(2);
  *request.mutable_ledger() = ledger_;
  request.set_explain(v1::DecideRequest::FULL);
  const v1::DecideResponse one = Ask(request);
  EXPECT_EQ(Bytes(Ask(request)), Bytes(one));
  EXPECT_THAT(one.decision_id(), Not(IsEmpty()));
  EXPECT_NE(Ask(OutOfMemory(3)).decision_id(), one.decision_id());
}

TEST_F(DecideTest, EchoesIds) {
  v1::DecideRequest request = AppError();
  request.set_request_id("trace-1");
  request.mutable_report()->set_failure_id("mine");
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.request_id(), "trace-1");
  EXPECT_EQ(response.failure_id(), "mine");
}

TEST_F(DecideTest, AnExitAloneIsChargedEachTimeItIsReportedAnew) {
  auto request = Parse<v1::DecideRequest>(
      "report { observed_at { seconds: 1000 } exit { exit_code: 1 } }");
  EXPECT_THAT(AskNext(request).warnings(),
              Contains(HasSubstr("send failureId or attempt")));
  request.mutable_report()->mutable_observed_at()->set_seconds(2000);
  AskNext(request);
  EXPECT_EQ(ledger_.budgets().at("application").used(), 2);
}

TEST_F(DecideTest, DerivedCausesAreShownAndChangeTheVerdict) {
  Use(R"pb(budgets {
             key: "a"
             value { limit: 9 }
           }
           default { action: RETRY budget: "a" })pb");
  EXPECT_EQ(AskNext(AppError(1)).decision().action(), v1::RETRY);
  EXPECT_EQ(AskNext(AppError(2)).decision().action(), v1::RETRY);
  const v1::DecideResponse third = AskNext(AppError(3));
  EXPECT_EQ(third.diagnosis().derived_cause(), v1::DETERMINISTIC);
  EXPECT_THAT(third.diagnosis().derived_reason(), HasSubstr("3 times"));
  EXPECT_EQ(third.decision().action(), v1::FAIL);
  EXPECT_EQ(third.explanation().decided_by(), "derived-cause");
  EXPECT_FALSE(third.accounting().has_exhaustion());
}

TEST_F(DecideTest, TheKillSwitchSaysWhy) {
  Use(std::string(kSpec) +
      "kill_switch { enabled: true reason: 'storage outage' }");
  const v1::DecideResponse response = Ask(AppError());
  EXPECT_EQ(response.decision().action(), v1::FAIL);
  EXPECT_EQ(response.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("storage outage")));
}

TEST_F(DecideTest, DemystifyNamesThePolicyWhoseSignaturesItUsed) {
  v1::DemystifyRequest request;
  *request.mutable_report() = AppError().report();
  v1::DemystifyResponse response;
  ASSERT_OK(Demystify(request, *policies_, {}, response));
  EXPECT_EQ(response.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_EQ(response.policy().name(), "test");
  request.set_policy("absent");
  EXPECT_THAT(Demystify(request, *policies_, {}, response),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace mulligan
