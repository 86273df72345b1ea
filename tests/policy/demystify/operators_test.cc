// Jobs, custom resources and queues around the pods.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

struct OperatorCase {
  const char* name;
  std::string report;
  v1::Cause cause;
};
class Operator : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(Operator, NamesTheCause) {
  const v1::Diagnosis diagnosis = Diagnose(GetParam().report);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(GetParam().cause))
      << diagnosis.DebugString();
}

const OperatorCase kOperatorsCases[] = {
    // batch Jobs.
    {"TheJobsDeadlineIsNotThePods",
     Job(Condition("Failed", "DeadlineExceeded")) + Failed(Exited(143)),
     v1::DEADLINE_JOB},
    {"PodDeadlineInsideAJob",
     Job(Condition("Failed", "BackoffLimitExceeded")) +
         Failed(Reason("DeadlineExceeded")),
     v1::DEADLINE_POD},
    {"FailureTargetAnnouncesTheReason",
     Job(Condition("FailureTarget", "DeadlineExceeded")), v1::DEADLINE_JOB},
    {"BackoffLimitLeavesTheCauseToThePods",
     Job(Condition("Failed", "BackoffLimitExceeded")) +
         Failed(Exited(137, "OOMKilled")),
     v1::CONTAINER_OOM},
    {"BackoffLimitAlone", Job(Condition("Failed", "BackoffLimitExceeded")),
     v1::APP_ERROR},
    {"DeadlineOfPodsThatNeverGotTheirImage",
     Job(Condition("Failed", "DeadlineExceeded")) +
         Pending(Waits("ErrImagePull", "manifest unknown")),
     v1::IMAGE_INVALID},
    {"PolicyRuleOnACode",
     Job(Condition("Failed", "PodFailurePolicy",
                   "Container main for pod ns/p failed with exit code 42 "
                   "matching FailJob rule at index 1")),
     v1::DECLARED_FATAL},
    {"NamedPolicyRule",
     Job(Condition("Failed", "PodFailurePolicy_bad-input",
                   "Container main for pod ns/p failed with exit code 42 "
                   "matching FailJob rule at index 1")),
     v1::DECLARED_FATAL},
    {"NamedPolicyRuleOnADisruption",
     Job(Condition("FailureTarget", "PodFailurePolicy_lost",
                   "Pod ns/p has condition DisruptionTarget matching FailJob "
                   "rule at index 0")),
     v1::DRAINED},
    {"PolicyRuleOnADisruption",
     Job(Condition("Failed", "PodFailurePolicy",
                   "Pod ns/p has condition DisruptionTarget matching FailJob "
                   "rule at index 0")),
     v1::DRAINED},
    {"SuspendedJob",
     Job("spec { suspend: true }", Condition("Suspended")) +
         Failed(Exited(143)),
     v1::SUSPENDED},
    {"ErrorBeforeTheSuspension",
     Job(Condition("Suspended", "", 200)) + Failed(Exited(1, "Error", 100)),
     v1::APP_ERROR},
    {"ResumedJobIsNotSuspended",
     Job(FalseCondition("Suspended")) + Failed(Exited(143)),
     v1::SIGTERM_UNEXPLAINED},
    {"CompleteJobWithAFailedPod",
     Job(Condition("Complete")) + Failed(Exited(1)), v1::SUCCEEDED},
    {"DeletedJob",
     Job("metadata { deletion_timestamp { seconds: 9 } }") +
         Failed(Exited(143)),
     v1::CANCELLED},
    {"FailedJobWithOnlySucceededPodsLeft",
     Job(Condition("Failed", "BackoffLimitExceeded")) + Pod("Succeeded"),
     v1::APP_ERROR},
    // JobSet.
    {"JobSetRestartsUsedUp",
     JobSet(Condition("Failed", "ReachedMaxRestarts")) + Failed(Exited(139)),
     v1::CRASH_SIGNAL},
    {"JobSetCompleted", JobSet(Condition("Completed", "AllJobsCompleted")),
     v1::SUCCEEDED},
    {"JobSetSuspended", JobSet(Condition("Suspended", "SuspendedJobs")),
     v1::SUSPENDED},
    // KubeRay.
    {"RayApplicationFailed",
     RayJob(
         Reason("AppFailed", "Job entrypoint command failed with exit code 1"),
         "status { job_status: 'FAILED' job_deployment_status: 'Failed' }"),
     v1::APP_ERROR},
    {"RayApplicationFailedWithAnExplainingLog",
     RayJob(
         Reason(
             "AppFailed",
             "last available logs: ModuleNotFoundError: No module named 'x'"),
         "status { job_status: 'FAILED' job_deployment_status: 'Failed' }"),
     v1::CONFIG_USER_ERROR},
    {"RayApplicationFailedInAnOldRelease",
     RayJob(
         "status { job_status: 'FAILED' job_deployment_status: 'Complete' }"),
     v1::APP_ERROR},
    {"RayReasonOnACompleteJobIsNotAFailure",
     RayJob(Reason("JobDeploymentStatusTransitionGracePeriodExceeded"),
            "status { job_status: 'SUCCEEDED' job_deployment_status: "
            "'Complete' }"),
     v1::SUCCEEDED},
    {"RayStoppedByItsUser",
     RayJob(
         "status { job_status: 'STOPPED' job_deployment_status: 'Complete' }"),
     v1::CANCELLED},
    {"RayValidation",
     RayJob(Reason("ValidationFailed"),
            "status { job_deployment_status: 'ValidationFailed' }"),
     v1::CREATE_REJECTED},
    {"RayDeadlineWithAStaleStatus",
     RayJob(Reason("DeadlineExceeded"),
            "status { job_status: 'RUNNING' job_deployment_status: 'Failed' }"),
     v1::DEADLINE_JOB},
    {"RaySubmissionFailed",
     RayJob(Reason("SubmissionFailed"),
            "status { job_deployment_status: 'Failed' }"),
     v1::LAUNCHER_FAILED},
    {"RayHeadEvictedUnderASubmissionFailure",
     RayJob(Reason("SubmissionFailed"),
            "status { job_deployment_status: 'Failed' }") +
         Failed("metadata { name: 'head' }",
                Disruption("EvictionByEvictionAPI")),
     v1::DRAINED},
    {"RayNeverStarted",
     RayJob(Reason("PreRunningDeadlineExceeded"),
            "status { job_deployment_status: 'Failed' }"),
     v1::START_TIMEOUT},
    {"RayNeverStartedBecauseOfCapacity",
     RayJob(Reason("PreRunningDeadlineExceeded"),
            "status { job_deployment_status: 'Failed' }") +
         Pending(FalseCondition("PodScheduled", "Unschedulable")),
     v1::UNSCHEDULABLE},
    {"RayDashboardSilent",
     RayJob(Reason("JobStatusCheckTimeoutExceeded"),
            "status { job_deployment_status: 'Failed' }"),
     v1::LAUNCHER_FAILED},
    {"RaySuspended", RayJob("status { job_deployment_status: 'Suspended' }"),
     v1::SUSPENDED},
    {"RaySubmitterOfAFailedApplication",
     RayJob(Reason("AppFailed"),
            "status { job_status: 'FAILED' job_deployment_status: 'Failed' }") +
         Failed(Container("name: 'ray-job-submitter'", ExitState(1))),
     v1::APP_ERROR},
    {"RaySubmitterInItsOwnPodShowsTheFailure",
     RayJob("status { job_deployment_status: 'Running' }") +
         Failed("spec { restart_policy: 'Never' containers { name: "
                "'ray-job-submitter' } }",
                Container(
                    "name: 'ray-job-submitter'",
                    ExitState(
                        1, "Error",
                        "ModuleNotFoundError: No module named 'flash_attn'"))),
     v1::CONFIG_USER_ERROR},
    {"RayClusterCannotCreatePods",
     Object("ray_cluster",
            Condition("ReplicaFailure", "FailedCreateHeadPod",
                      "pods \"h\" is forbidden: exceeded quota: q")),
     v1::QUOTA_EXCEEDED},
    // Trainer.
    {"TrainJobCannotBeBuilt",
     TrainJob(
         FalseCondition("Created", "JobsBuildFailed", "runtime not found")),
     v1::CREATE_REJECTED},
    {"TrainJobCannotBeCreated",
     TrainJob(FalseCondition("Created", "JobsCreationFailed", "timeout")),
     v1::API_TRANSIENT},
    {"TrainJobRefusedByAWebhook",
     TrainJob(FalseCondition("Created", "JobsCreationFailed",
                             "admission webhook \"x\" denied the request: no")),
     v1::CREATE_REJECTED},
    {"TrainJobDeadline", TrainJob(Condition("Failed", "DeadlineExceeded")),
     v1::DEADLINE_JOB},
    {"TrainJobUnknownRuntime",
     TrainJob(Condition("Failed", "TrainingRuntimeNotSupported")),
     v1::CREATE_REJECTED},
    {"TrainJobSuspended",
     TrainJob("spec { suspend: true }",
              Condition("Suspended", "Suspended", "TrainJob is suspended")),
     v1::SUSPENDED},
    {"ErrorAfterTheTrainJobsResumption",
     TrainJob(FalseCondition("Suspended", "Resumed", "TrainJob is resumed")) +
         Failed(Exited(1)),
     v1::APP_ERROR},
    {"OrderOfStartAndConditionsOfPluginsAreNotACause",
     TrainJob(Condition("PodGroupReady", "MinMemberAvailable")) +
         JobSet(Condition("StartupPolicyInProgress",
                          "InOrderStartupPolicyInProgress")) +
         Pending(Waits("InvalidImageName")),
     v1::IMAGE_INVALID},
    {"TrainJobWhoseGroupsStartInOrder",
     TrainJob("metadata { name: 't' }") +
         JobSet("metadata { name: 't' }",
                Condition("StartupPolicyInProgress",
                          "InOrderStartupPolicyInProgress"),
                FalseCondition("StartupPolicyCompleted",
                               "InOrderStartupPolicyInProgress")),
     v1::NOT_FAILED},
    // training-operator v1.
    {"KubeflowDeadlineIsInTheMessageOnly",
     Object("kubeflow_job", "kind: 'PyTorchJob'",
            Condition("Failed", "PyTorchJobFailed",
                      "PyTorchJob x has failed because it was active longer "
                      "than specified deadline")),
     v1::DEADLINE_JOB},
    {"KubeflowEvictedLauncher",
     Object("kubeflow_job", "kind: 'MPIJob'",
            Condition("Failed", "MPIJobEvicted")),
     v1::NODE_PRESSURE_EVICTED},
    // Spark.
    {"SparkDriverOutOfMemory",
     Object(
         "spark_application",
         "status { application_state { state: 'FAILED' error_message: 'driver "
         "container failed with ExitCode: 137, Reason: OOMKilled' } }"),
     v1::CONTAINER_OOM},
    {"SparkDriverExitCode",
     Object("spark_application",
            "status { application_state { state: 'FAILING' error_message: "
            "'driver container failed with ExitCode: 143, Reason: Error' } }"),
     v1::SIGTERM_UNEXPLAINED},
    {"SparkDriverGone",
     Object("spark_application",
            "status { application_state { state: 'FAILING' error_message: "
            "'driver pod not found' } }"),
     v1::CONTROLLER_ERROR},
    {"SparkSubmissionConflict",
     Object("spark_application",
            "status { application_state { state: 'SUBMISSION_FAILED' "
            "error_message: 'failed to run spark-submit: pods \"x-driver\" "
            "already exists' } }"),
     v1::CREATE_CONFLICT},
    {"SparkSuspended",
     Object("spark_application",
            "status { application_state { state: 'SUSPENDED' } }"),
     v1::SUSPENDED},
    // Kueue.
    {"QueuePreemptionBeatsExit143",
     Workload(Condition("Evicted", "Preempted", 100)) +
         Failed(Exited(143, "Error", 110)),
     v1::PREEMPTED_QUEUE},
    {"QueuePreemptionAfterTheEndIsNotItsCause",
     Workload(Condition("Evicted", "Preempted", 100)) +
         Failed(Exited(1, "Error", 50)),
     v1::APP_ERROR},
    {"QueuePreemptionAndSuspendedJobSet",
     Workload(Condition("Evicted", "Preempted")) +
         JobSet("spec { suspend: true }", Condition("Suspended")),
     v1::PREEMPTED_QUEUE},
    {"AHeadToBeReplacedIsNotTheReasonAfterRayRan",
     RayJob("status { job_status: 'FAILED' job_deployment_status: 'Failed' "
            "message: 'Job supervisor actor died because its node died.' }") +
         Event("FailedToCreateHeadPod",
               "Failed to create head Pod ml/r-head, pods \"r-head\" already "
               "exists",
               "RayCluster", "r"),
     v1::NODE_LOST},
    {"AFailedDeletionDidNotEndTheWork",
     RayJob(Reason("AppFailed",
                   "ModuleNotFoundError: No module named 'flash_attn'"),
            "status { job_status: 'FAILED' job_deployment_status: 'Failed' }") +
         Event("FailedToDeleteRayCluster",
               "Failed to delete cluster ml/tune-x: rayclusters.ray.io "
               "\"tune-x\" not found",
               "RayJob", "tune"),
     v1::CONFIG_USER_ERROR},
    {"FinallyFailedWorkIsNotHeldByItsQueue",
     Workload(FalseCondition("QuotaReserved", "Pending")) +
         Job("spec { suspend: true }", Condition("Failed", "DeadlineExceeded")),
     v1::DEADLINE_JOB},
    {"OldEvictionIsOver",
     Workload(
         FalseCondition("Evicted", "QuotaReserved",
                        "Previously: Preempted to accommodate a workload")) +
         Failed(Exited(143)),
     v1::SIGTERM_UNEXPLAINED},
    {"QueueStopped", Workload(Condition("Evicted", "ClusterQueueStopped")),
     v1::SUSPENDED},
    {"QueueNodeFailures", Workload(Condition("Evicted", "NodeFailures")),
     v1::NODE_LOST},
    {"QueueDeactivationOfALaterRelease",
     Workload(Condition("Evicted", "DeactivatedDueToSomethingNew")),
     v1::SUSPENDED},
    {"QueueMaximumExecutionTime",
     Workload(
         Condition("Evicted", "DeactivatedDueToMaximumExecutionTimeExceeded")),
     v1::DEADLINE_JOB},
    {"QueueReadyTimeoutYieldsToItsRoot",
     Workload(Condition("Evicted", "PodsReadyTimeout")) +
         Pending(Waits("InvalidImageName")),
     v1::IMAGE_INVALID},
    {"QueueReadyTimeoutAlone",
     Workload(Condition("Evicted", "PodsReadyTimeout")), v1::START_TIMEOUT},
    {"QueueFinishedJob", Workload(Condition("Finished", "Succeeded")),
     v1::SUCCEEDED},
    {"QueueCouldNotStartTheJob",
     Workload(Condition("Finished", "FailedToStart")), v1::CREATE_REJECTED},
    {"QueueDeactivatedWithoutAnEviction", Workload("spec { active: false }"),
     v1::SUSPENDED},
    {"FailedCreateEventsOfAJob",
     Job("metadata { name: 'j' }") +
         Event("FailedCreate",
               "Error creating: admission webhook \"w\" denied the request: no",
               "Job", "j"),
     v1::CREATE_REJECTED},
    {"OldFailedCreateEventOfAJobWhosePodFailed",
     Job("metadata { name: 'j' }") + Failed(Exited(1)) +
         Event("FailedCreate", "Error creating: exceeded quota", "Job", "j"),
     v1::APP_ERROR},
};
INSTANTIATE_TEST_SUITE_P(, Operator, ::testing::ValuesIn(kOperatorsCases),
                         [](const auto& test) { return test.param.name; });

TEST(PodFailurePolicyMessage, NamesPodContainerAndCode) {
  const auto diagnosis = Diagnose(
      Job("metadata { name: 'j' }",
          Condition("Failed", "PodFailurePolicy",
                    "Container main for pod default/j-8ckj8 failed with exit "
                    "code 42 matching FailJob rule at index 0")));
  EXPECT_EQ(diagnosis.exit_code(), 42);
  EXPECT_EQ(diagnosis.culprit().pod(), "j-8ckj8");
  EXPECT_EQ(diagnosis.culprit().container(), "main");
  EXPECT_EQ(diagnosis.culprit().kind(), "Job");
  EXPECT_EQ(diagnosis.culprit().name(), "j");
}

}  // namespace
}  // namespace mulligan::demystify
