#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/kubeflow/test_objects.h"

namespace mulligan {
namespace {

using ::mulligan::kubeflow::At;
using ::mulligan::kubeflow::Parse;
using ::mulligan::kubeflow::PodAt;
using ::mulligan::kubeflow::WithRestarts;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class TrainingJobOutcomeTest : public testing::Test {
 protected:
  void Job(const std::string& text) {
    *report_.mutable_kubeflow_job() =
        Parse<kubeflow::TrainingJob>("metadata { name: 'j' } " + text);
  }

  NativeOutcome Outcome() {
    const auto outcome =
        TrainingJobOutcome({report_, ledger_, semantics_, At(1000)});
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(NativeOutcome());
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

constexpr char kExitCodeJob[] =
    "kind: 'PyTorchJob' spec { pytorch_replica_specs { key: 'Worker' value { "
    "replicas: 2 restart_policy: 'ExitCode' } } }";

TEST_F(TrainingJobOutcomeTest, HasNoAnswerWithoutAJob) {
  EXPECT_FALSE(
      TrainingJobOutcome({report_, ledger_, semantics_, At(1)}).has_value());
}

TEST_F(TrainingJobOutcomeTest, RetryableCodeRestartsOnePodAndCostsNothing) {
  Job(kExitCodeJob);
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 137, "PyTorchJob");
  *report_.add_pods() = PodAt("Worker", 1, "Running");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.operator_(), "PyTorchJob");
  EXPECT_EQ(outcome.verdict.verdict(), "Restarting");
  EXPECT_EQ(outcome.verdict.semantics(), "training-operator 1.9");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::POD);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(outcome.charged_to, "");
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

// 139, a segmentation fault: retried without a limit.
TEST_F(TrainingJobOutcomeTest, ASignalIsRetried) {
  Job(kExitCodeJob);
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 139, "PyTorchJob");
  EXPECT_EQ(Outcome().action, v1::Decision::RETRY);
}

TEST_F(TrainingJobOutcomeTest, WarnsOfAReleaseOutsideTheRange) {
  Job(kExitCodeJob);
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 1, "PyTorchJob");
  (*semantics_.mutable_versions())["kubeflow"] = "v1.7.0";
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.verdict.semantics(), "training-operator 1.8");
  EXPECT_THAT(outcome.warnings,
              Contains(HasSubstr("no release from 1.8 to 1.9")));
}

TEST_F(TrainingJobOutcomeTest, UnknownReleaseIsAcceptedWithAWarning) {
  Job(kExitCodeJob);
  (*semantics_.mutable_versions())["kubeflow"] = "1.12";
  (*semantics_.mutable_settings())["kubeflow.requeues"] = "-1";
  const NativeOutcome outcome = Outcome();
  EXPECT_THAT(outcome.warnings,
              Contains(HasSubstr("versions.kubeflow: '1.12'")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("kubeflow.requeues")));
}

TEST_F(TrainingJobOutcomeTest, ContainerRestartsAreChargedToTheLimit) {
  Job("kind: 'PyTorchJob' spec { run_policy { backoff_limit: 3 } "
      "pytorch_replica_specs { key: 'Worker' value {} } }");
  *report_.add_pods() = WithRestarts(PodAt("Worker", 0, "Running"), 2);
  const NativeOutcome within = Outcome();
  EXPECT_EQ(within.action, v1::Decision::RETRY);
  EXPECT_EQ(within.scope, v1::Decision::CONTAINER);
  EXPECT_EQ(within.charged_to, "backoffLimit");
  EXPECT_EQ(within.used, 2);
  EXPECT_EQ(within.limit, 2);
  report_.mutable_pods(0)
      ->mutable_status()
      ->mutable_container_statuses(0)
      ->set_restart_count(3);
  const NativeOutcome beyond = Outcome();
  EXPECT_EQ(beyond.action, v1::Decision::FAIL);
  EXPECT_EQ(beyond.used, 3);
  EXPECT_EQ(beyond.limit, 2);
  EXPECT_THAT(beyond.verdict.counters(), Contains(Pair("restarts", 3)));
}

TEST_F(TrainingJobOutcomeTest, LimitZeroFailsAtTheFirstFailedPod) {
  Job("kind: 'PyTorchJob' spec { run_policy { backoff_limit: 0 } "
      "pytorch_replica_specs { key: 'Worker' value {} } }");
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 137, "PyTorchJob");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.charged_to, "backoffLimit");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 0);
}

TEST_F(TrainingJobOutcomeTest, WarnsOfAnUnreachableLimit) {
  Job("kind: 'PyTorchJob' spec { run_policy { backoff_limit: 5 } "
      "pytorch_replica_specs { key: 'Worker' value {} } }");
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 1, "PyTorchJob");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("backoffLimit")));
  (*semantics_.mutable_settings())["kubeflow.requeues"] = "5";
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
}

TEST_F(TrainingJobOutcomeTest, DeadlineSuspensionAndForeignManagers) {
  Job("kind: 'TFJob' spec { run_policy { active_deadline_seconds: 1 } "
      "tf_replica_specs { key: 'Worker' value {} } } "
      "status { start_time { seconds: 5 } }");
  EXPECT_EQ(Outcome().charged_to, "activeDeadlineSeconds");
  report_.mutable_kubeflow_job()
      ->mutable_spec()
      ->mutable_run_policy()
      ->set_suspend(true);
  EXPECT_EQ(Outcome().verdict.verdict(), "Suspended");
  report_.mutable_kubeflow_job()
      ->mutable_spec()
      ->mutable_run_policy()
      ->set_managed_by("kueue.x-k8s.io/multikueue");
  EXPECT_EQ(Outcome().verdict.verdict(), "Skipped");
  (*semantics_.mutable_versions())["kubeflow"] = "1.8";
  EXPECT_EQ(Outcome().verdict.verdict(), "Suspended");
}

TEST_F(TrainingJobOutcomeTest, WarnsOfAChiefThatDoesNotDecide) {
  Job("kind: 'TFJob' spec { tf_replica_specs { key: 'Chief' value {} } "
      "tf_replica_specs { key: 'Worker' value {} } }");
  *report_.add_pods() = PodAt("Chief", 0, "Running");
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("only the chief counts")));
}

TEST_F(TrainingJobOutcomeTest, FindsPodsByNameWithoutLabels) {
  Job("kind: 'MPIJob' spec { mpi_replica_specs { key: 'Launcher' value {} } "
      "mpi_replica_specs { key: 'Worker' value {} } }");
  auto& pod = *report_.add_pods();
  pod.mutable_metadata()->set_name("j-launcher");
  pod.mutable_status()->set_phase("Failed");
  EXPECT_EQ(Outcome().verdict.verdict(), "Failed");
}

TEST_F(TrainingJobOutcomeTest, IgnoresPodsOfOthers) {
  Job(kExitCodeJob);
  *report_.add_pods() = PodAt("Worker", 0, "Failed", 137, "PyTorchJob");
  *report_.mutable_pods(0)->mutable_metadata()->add_owner_references() =
      Parse<kubernetes::meta::v1::OwnerReference>(
          "kind: 'PyTorchJob' name: 'other' controller: true");
  EXPECT_EQ(Outcome().verdict.verdict(), "None");
}

TEST_F(TrainingJobOutcomeTest, AnEndIsFinal) {
  Job("kind: 'TFJob' spec { tf_replica_specs { key: 'Worker' value {} } } "
      "status { conditions { type: 'Failed' status: 'True' reason: "
      "'TFJobFailed' "
      "} conditions { type: 'Succeeded' status: 'True' } }");
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
}

TEST_F(TrainingJobOutcomeTest, RetriesCreationErrorsForever) {
  Job(kExitCodeJob);
  report_.mutable_creation_error()->set_message("denied");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.verdict.message(), "denied");
}

TEST_F(TrainingJobOutcomeTest, AnswersInvalidInputWithAWarning) {
  Job("kind: 'PyTorchJob' spec { run_policy { backoff_limit: -1 "
      "active_deadline_seconds: -9 } "
      "pytorch_replica_specs { key: 'Master' value { replicas: 2 } } "
      "pytorch_replica_specs { key: 'Wörker' value { replicas: -7 "
      "restart_policy: 'Perhaps' "
      "template { spec { containers { name: 'main' } } } } } }");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("backoffLimit: -1")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("Seconds: -9")));
  EXPECT_THAT(outcome.refusals,
              Contains(HasSubstr("[Master].replicas: Forbidden: must be 1")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("'Perhaps'")));
  EXPECT_THAT(outcome.refusals, Contains(HasSubstr("name pytorch")));
}

TEST_F(TrainingJobOutcomeTest, HasNoAnswerForAnUnknownKind) {
  Job("kind: 'MXJob'");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "None");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("'MXJob'")));
}

}  // namespace
}  // namespace mulligan
