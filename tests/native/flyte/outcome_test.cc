#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/flyte/test_objects.h"

namespace mulligan {
namespace {

using ::mulligan::flyte::Parse;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr char kExited1[] =
    "pods { metadata { name: 'p' namespace: 'ns' labels { key: 'execution-id' "
    "value: 'e' } labels { key: 'node-id' value: 'n0' } annotations { key: "
    "'primary_container_name' value: 'main' } } status { phase: 'Failed' "
    "container_statuses { name: 'main' state { terminated { exit_code: 1 "
    "reason: 'Error' } } } } } ";
constexpr char kOom[] =
    "pods { metadata { name: 'p' } status { phase: 'Failed' "
    "container_statuses { name: 'main' state { terminated { exit_code: 137 "
    "reason: 'OOMKilled' } } } } } ";

class FlyteOutcomeTest : public testing::Test {
 protected:
  FlyteOutcomeTest() { semantics_.set_operator_("flyte"); }

  std::optional<NativeOutcome> MaybeOutcome(const std::string& report) {
    report_ = Parse<v1::FailureReport>(report);
    google::protobuf::Timestamp now;
    now.set_seconds(1000);
    return FlyteOutcome({report_, ledger_, semantics_, now});
  }

  NativeOutcome Outcome(const std::string& report) {
    const auto outcome = MaybeOutcome(report);
    EXPECT_TRUE(outcome.has_value()) << report;
    return outcome.value_or(NativeOutcome());
  }

  void Use(const char* version) {
    (*semantics_.mutable_versions())["flyte"] = version;
  }
  void Set(const char* name, const char* value) {
    (*semantics_.mutable_settings())[std::string("flyte.") + name] = value;
  }
  void Ledger(const std::string& text) {
    ledger_ = Parse<v1::BudgetLedger>(text);
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

TEST_F(FlyteOutcomeTest, HasNoAnswerForWorkThatIsNotFlytes) {
  semantics_.clear_operator_();
  EXPECT_FALSE(MaybeOutcome(kOom).has_value());
  EXPECT_FALSE(MaybeOutcome("").has_value());
  EXPECT_TRUE(MaybeOutcome(kExited1).has_value());
}

TEST_F(FlyteOutcomeTest, RecognizesItsWorkByOwnerFinalizerAndKeys) {
  semantics_.clear_operator_();
  for (const char* const mark :
       {"owner_references { kind: 'flyteworkflow' }",
        "owner_references { kind: 'TaskAction' }",
        "finalizers: 'flyte/flytek8s'",
        "labels { key: 'flyte.org/run' value: 'r' }"}) {
    EXPECT_TRUE(
        MaybeOutcome(std::string("ray_job { metadata { ") + mark + " } }")
            .has_value())
        << mark;
  }
}

TEST_F(FlyteOutcomeTest, HasNoAnswerWithoutAnObjectOfAPlugin) {
  for (const char* const report :
       {"", "jobs {}", "kubeflow_job { kind: 'XGBoostJob' }", "job_set {}",
        "train_job {}"}) {
    EXPECT_FALSE(MaybeOutcome(report).has_value()) << report;
  }
}

TEST_F(FlyteOutcomeTest, AnUnexplainedExitIsChargedToTheSystem) {
  const NativeOutcome outcome = Outcome(kExited1);
  EXPECT_EQ(outcome.verdict.operator_(), "Flyte");
  EXPECT_EQ(outcome.verdict.semantics(), "flyte v1 1.16");
  EXPECT_EQ(outcome.verdict.verdict(), "RetryableFailure");
  EXPECT_EQ(outcome.verdict.reason(), "Interrupted");
  EXPECT_FALSE(outcome.verdict.has_delay());
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::POD);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(outcome.charged_to, "max-node-retries-system-failures");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 3);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST_F(FlyteOutcomeTest, WithoutRetriesTheUserHasOneRun) {
  const NativeOutcome outcome = Outcome(kOom);
  EXPECT_EQ(outcome.verdict.verdict(), "Failing");
  EXPECT_EQ(outcome.verdict.reason(), "RetriesExhausted|OOMKilled");
  EXPECT_THAT(outcome.verdict.message(), HasSubstr("Last Error: USER::"));
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.charged_to, "retries");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 0);
}

TEST_F(FlyteOutcomeTest, CountersComeFromTheLedger) {
  Set("retries", "2");
  Ledger(
      "attempts_seen: 3 budgets { key: 'max-node-retries-system-failures' "
      "value { used: 2 } }");
  const NativeOutcome outcome = Outcome(kOom);
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.used, 2);
  EXPECT_EQ(outcome.limit, 2);
  EXPECT_THAT(outcome.verdict.counters(), Contains(Pair("attempts", 4)));
  EXPECT_THAT(outcome.verdict.counters(), Contains(Pair("systemFailures", 2)));
}

TEST_F(FlyteOutcomeTest, TheLastPossibleRunIsOnDemand) {
  const std::string spot =
      std::string(kExited1) + "workload { interruptible: true } ";
  const NativeOutcome first = Outcome(spot + "attempt: 1");
  EXPECT_THAT(first.verdict.counters(), Contains(Pair("interruptible", 1)));
  EXPECT_FALSE(first.on_demand);
  Ledger(
      "budgets { key: 'max-node-retries-system-failures' value { used: 2 } }");
  const NativeOutcome last = Outcome(spot + "attempt: 3");
  EXPECT_THAT(last.verdict.counters(), Contains(Pair("interruptible", 0)));
  EXPECT_TRUE(last.on_demand);
  EXPECT_FALSE(Outcome(std::string(kExited1) + "attempt: 3").on_demand);
}

TEST_F(FlyteOutcomeTest, OneBudgetForAllCauses) {
  Set("ignore-retry-cause", "true");
  Set("default-max-attempts", "2");
  const NativeOutcome first = Outcome(kExited1);
  EXPECT_EQ(first.action, v1::Decision::RETRY);
  EXPECT_EQ(first.charged_to, "retries");
  Ledger("attempts_seen: 1");
  const NativeOutcome second = Outcome(kExited1);
  EXPECT_EQ(second.action, v1::Decision::FAIL);
  EXPECT_EQ(second.used, 2);
  EXPECT_EQ(second.limit, 1);
}

TEST_F(FlyteOutcomeTest, APreemptionSeenAfterTheDeadlineIsChargedToTheUser) {
  Set("node-execution-deadline", "100s");
  const std::string late =
      "pods { metadata { creation_timestamp { seconds: 800 } } status { "
      "phase: 'Failed' reason: 'Shutdown' } }";
  const NativeOutcome outcome = Outcome(late);
  EXPECT_EQ(outcome.verdict.reason(), "RetriesExhausted|TimeoutExpired");
  EXPECT_EQ(outcome.charged_to, "retries");
}

TEST_F(FlyteOutcomeTest, ADeletionOfRunningWorkIsTheSystems) {
  const NativeOutcome outcome = Outcome(
      "ray_job { metadata { name: 'r' namespace: 'ns' deletion_timestamp { "
      "seconds: 9 } } status { job_deployment_status: 'Running' } }");
  EXPECT_EQ(outcome.verdict.reason(), "UnexpectedObjectDeletion");
  EXPECT_EQ(outcome.verdict.message(),
            "object [ns/r] terminated in the background, manually");
  EXPECT_EQ(outcome.scope, v1::Decision::WORKLOAD);
}

TEST_F(FlyteOutcomeTest, WaitsForOrIgnoresWorkThatHasNotFailed) {
  EXPECT_EQ(Outcome("pods { status { phase: 'Pending' } }").action,
            v1::Decision::WAIT);
  EXPECT_EQ(Outcome("pods { status { phase: 'Running' } }").action,
            v1::Decision::IGNORE);
  const NativeOutcome done = Outcome("pods { status { phase: 'Succeeded' } }");
  EXPECT_EQ(done.action, v1::Decision::IGNORE);
  EXPECT_THAT(done.warnings, Contains(HasSubstr("error file")));
}

TEST_F(FlyteOutcomeTest, QuotasWaitInFlyte1AndCostTheUserInFlyte2) {
  const std::string quota =
      "creation_error { phase: CREATE http_code: 403 reason: 'Forbidden' "
      "message: 'exceeded quota: q' }";
  const NativeOutcome waits = Outcome(quota);
  EXPECT_EQ(waits.verdict.verdict(), "WaitingForResources");
  EXPECT_EQ(waits.action, v1::Decision::WAIT);
  EXPECT_EQ(waits.verdict.delay().seconds(), 1);
  EXPECT_EQ(waits.charged_to, "");
  Use("v2");
  const NativeOutcome pays = Outcome(quota);
  EXPECT_EQ(pays.verdict.reason(), "RuntimeFailure");
  EXPECT_EQ(pays.action, v1::Decision::FAIL);
  EXPECT_EQ(pays.charged_to, "retries");
}

TEST_F(FlyteOutcomeTest, WorkThatCannotBeBuiltFailsAtOnce) {
  const NativeOutcome outcome =
      Outcome("creation_error { phase: BUILD message: 'no image' }");
  EXPECT_EQ(outcome.verdict.verdict(), "PermanentFailure");
  EXPECT_EQ(outcome.verdict.reason(), "FailedToBuildResource");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.charged_to, "");
}

TEST_F(FlyteOutcomeTest, AnErrorCostsTheWholeWorkflow) {
  const std::string error = "creation_error { http_code: 500 message: 'etcd' }";
  const NativeOutcome outcome = Outcome(error);
  EXPECT_EQ(outcome.verdict.verdict(), "Error");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.charged_to, "max-workflow-retries");
  Ledger("budgets { key: 'max-workflow-retries' value { used: 10 } }");
  EXPECT_EQ(Outcome(error).action, v1::Decision::FAIL);
}

TEST_F(FlyteOutcomeTest, Flyte2CountsCreationErrorsInARow) {
  Use("v2");
  const std::string error = "creation_error { http_code: 500 message: 'etcd' }";
  const NativeOutcome first = Outcome(error);
  EXPECT_EQ(first.action, v1::Decision::RETRY);
  EXPECT_EQ(first.verdict.delay().seconds(), 10);
  EXPECT_EQ(first.charged_to, "max-system-failures");
  EXPECT_EQ(first.used, 1);
  Ledger(
      "history { charged_to: 'retries' } "
      "history { charged_to: 'max-system-failures' } "
      "history { charged_to: 'max-system-failures' } "
      "history { charged_to: 'max-system-failures' }");
  const NativeOutcome last = Outcome(error);
  EXPECT_EQ(last.action, v1::Decision::FAIL);
  EXPECT_EQ(last.verdict.reason(), "MaxSystemFailuresExceeded");
  EXPECT_EQ(last.used, 4);
  EXPECT_EQ(last.limit, 3);
}

TEST_F(FlyteOutcomeTest, Flyte2RetriesLostPodsWithoutBound) {
  Use("v2");
  Ledger(
      "history { charged_to: 'max-system-failures' } "
      "history { charged_to: 'max-system-failures' } "
      "history { charged_to: 'max-system-failures' }");
  const NativeOutcome outcome = Outcome(kExited1);
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.used, 1);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("flyteorg/flyte#7874")));
}

TEST_F(FlyteOutcomeTest, Flyte2KeepsTheErrorWhenTheUserIsOutOfAttempts) {
  Use("v2");
  Set("retries", "1");
  EXPECT_EQ(Outcome(kOom).action, v1::Decision::RETRY);
  Ledger("budgets { key: 'retries' value { used: 1 } }");
  const NativeOutcome outcome = Outcome(kOom);
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.verdict.reason(), "OOMKilled");
  EXPECT_EQ(outcome.used, 2);
  EXPECT_EQ(outcome.limit, 1);
}

TEST_F(FlyteOutcomeTest, Flyte2RefusesANegativeNumberOfRestarts) {
  Use("v2");
  EXPECT_THAT(
      Outcome("job_set { spec { failure_policy { max_restarts: -1 } } }")
          .warnings,
      Contains(HasSubstr("job_set.spec.failurePolicy.maxRestarts")));
}

TEST_F(FlyteOutcomeTest, TheFailedOfSeveralPodsDecides) {
  const NativeOutcome outcome =
      Outcome(std::string("pods { metadata { name: 'a' } status { phase: "
                          "'Running' } } ") +
              kOom);
  EXPECT_THAT(outcome.verdict.reason(), HasSubstr("OOMKilled"));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("this is about p")));
}

// An event about the failed pod, whose end is at second 1000.
std::string Fault(const std::string& message, int second = 990,
                  const std::string& uid = "u") {
  return "pods { metadata { name: 'p' uid: 'u' } status { phase: 'Failed' "
         "reason: 'Error' } } events { reason: 'GPUXidError' last_timestamp { "
         "seconds: " +
         std::to_string(second) + " } message: '[gpu-health] f. " + message +
         "' involved_object { uid: '" + uid + "' } }";
}

TEST_F(FlyteOutcomeTest, AGpuFaultOfThePodMovesTheBlame) {
  (*semantics_.mutable_feature_gates())["flyte.gpu-faults"] = true;
  const NativeOutcome lost = Outcome(Fault("xid=79 gpu_index=0 gpu_uuid=G"));
  EXPECT_EQ(lost.verdict.reason(), "GpuFallenOffBus");
  EXPECT_EQ(lost.charged_to, "max-node-retries-system-failures");
  EXPECT_THAT(lost.verdict.message(),
              StartsWith("[gpu-health] [CRITICAL] Xid 79 (GPU has fallen off "
                         "the bus) on GPU 0 G. Pod failed."));
  EXPECT_EQ(Outcome(Fault("sxid=12028 pci=0:1")).verdict.reason(),
            "GpuNvlinkError");
  const NativeOutcome user = Outcome(Fault("xid=31"));
  EXPECT_EQ(user.verdict.reason(), "RetriesExhausted|GpuXidError");
}

TEST_F(FlyteOutcomeTest, OtherEventsChangeNothing) {
  (*semantics_.mutable_feature_gates())["flyte.gpu-faults"] = true;
  for (const std::string& report :
       {Fault("xid=79", 990, "other"), Fault("xid=79", 1121),
        Fault("xid=79", -801), Fault("xid=79", 0), Fault("xid=92"),
        Fault("xid=79 severity=worse"), Fault("xid=seventy"), Fault("")}) {
    EXPECT_EQ(Outcome(report).verdict.reason(), "RetriesExhausted|Error")
        << report;
  }
}

TEST_F(FlyteOutcomeTest, SurvivesContradictionsAndHugeNumbers) {
  Set("retries", "1000000000");
  Ledger(
      "attempts_seen: -5 budgets { key: 'max-node-retries-system-failures' "
      "value { used: 2147483647 } } budgets { key: "
      "'max-workflow-retries' value { used: -1 } }");
  for (const char* const version : {"v1", "v2"}) {
    Use(version);
    const NativeOutcome pod =
        Outcome(std::string(kExited1) + "attempt: -2147483648");
    EXPECT_GE(pod.used, 0);
    EXPECT_GE(pod.limit, 0);
    const NativeOutcome job = Outcome(
        "kubeflow_job { kind: 'TFJob' metadata { creation_timestamp { "
        "seconds: 9223372036854775807 } } status { conditions { type: "
        "'Failed' status: 'Maybe' last_transition_time { seconds: "
        "-9223372036854775808 } } } }");
    EXPECT_EQ(job.action, v1::Decision::RETRY);
  }
}

TEST_F(FlyteOutcomeTest, MoreSystemFailuresThanAttemptsAreNamed) {
  Ledger(
      "attempts_seen: 1 budgets { key: 'max-node-retries-system-failures' "
      "value { used: 2 } }");
  const NativeOutcome outcome = Outcome(kOom);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("2 system failures in 1")));
  EXPECT_EQ(outcome.used, 1);
}

}  // namespace
}  // namespace mulligan
