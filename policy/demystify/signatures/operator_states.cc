// States and condition reasons of the objects that own pods: batch Jobs,
// JobSet, KubeRay, Trainer, training-operator, Kueue, Spark operator.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

// The workload itself says that nothing failed, was asked to stop, or holds.
constexpr Signature Outcome(std::string_view key, v1::Cause cause,
                            std::string_view meaning) {
  return {key, cause, kHigh, Tier::kDecisive, kQueueWeight, kNoFlags, meaning};
}

// Holding back explains stopped pods but not those with a story of their own.
constexpr Signature Held(std::string_view key, std::string_view meaning) {
  return {key,          v1::SUSPENDED, kHigh,  Tier::kSpecific,
          kQueueWeight, kNoFlags,      meaning};
}

constexpr Signature Says(std::string_view key, v1::Cause cause,
                         v1::Diagnosis::Confidence confidence, Tier tier,
                         std::string_view meaning) {
  return {key, cause, confidence, tier, kOperatorWeight, kNoFlags, meaning};
}

constexpr Signature kStates[] = {
    Says("Job/BackoffLimitExceeded", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the Job used up its retries; what failed is in its pods"),
    Outcome("Job/Complete", v1::SUCCEEDED, "the Job is complete"),
    Says("Job/DeadlineExceeded", v1::DEADLINE_JOB, kHigh, Tier::kSpecific,
         "the Job ran longer than its activeDeadlineSeconds"),
    Says("Job/Failed", v1::APP_ERROR, kLow, Tier::kGeneric, "the Job failed"),
    Says("Job/FailedIndexes", v1::APP_ERROR, kLow, Tier::kGeneric,
         "indexes of the Job used up their retries"),
    Says("Job/MaxFailedIndexesExceeded", v1::APP_ERROR, kLow, Tier::kGeneric,
         "too many indexes of the Job failed"),
    Says("Job/PodFailurePolicy", v1::DECLARED_FATAL, kMedium, Tier::kSpecific,
         "a FailJob rule of the Job's podFailurePolicy matched"),
    {"Job/PodsFailed", v1::APP_ERROR, kLow, Tier::kGeneric, kOperatorWeight,
     kRestarting,
     "pods of the Job failed, and its controller starts the next after its "
     "back-off; why is in the pods"},
    Outcome("Job/SuccessCriteriaMet", v1::SUCCEEDED,
            "the Job met its success policy"),
    Held("Job/Suspended", "the Job is suspended"),
    Outcome("JobSet/Completed", v1::SUCCEEDED, "the JobSet is complete"),
    Says("JobSet/FailJobSetFailurePolicyAction", v1::APP_ERROR, kLow,
         Tier::kGeneric, "a FailJobSet rule matched a failed Job"),
    Says("JobSet/Failed", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the JobSet failed"),
    Says("JobSet/FailedJobs", v1::APP_ERROR, kLow, Tier::kGeneric,
         "a Job of the JobSet failed"),
    Says("JobSet/ReachedMaxRestarts", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the JobSet used up its restarts"),
    {"JobSet/RestartingJobSet", v1::APP_ERROR, kLow, Tier::kGeneric,
     kOperatorWeight, kRestarting, "the JobSet restarts after a failure"},
    Held("JobSet/Suspended", "the JobSet is suspended"),
    Says("Kubeflow/Failed", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the training job failed"),
    {"Kubeflow/MPIJobEvicted", v1::NODE_PRESSURE_EVICTED, kLow, Tier::kSpecific,
     kOperatorWeight, kNoFlags, "a pod of the MPIJob was evicted"},
    {"Kubeflow/Restarting", v1::APP_ERROR, kLow, Tier::kGeneric,
     kOperatorWeight, kRestarting,
     "the training job restarts a failed replica"},
    Outcome("Kubeflow/Succeeded", v1::SUCCEEDED, "the training job succeeded"),
    Held("Kubeflow/Suspended", "the training job is suspended"),
    Says("RayCluster/HeadPodReady=False", v1::LAUNCHER_FAILED, kLow,
         Tier::kHint, "the Ray head is not ready"),
    Says("RayCluster/ReplicaFailure", v1::API_TRANSIENT, kLow,
         Tier::kConvention, "the operator could not create or delete pods"),
    Held("RayCluster/Suspended", "the RayCluster is suspended"),
    Says("RayJob/AppFailed", v1::APP_ERROR, kMedium, Tier::kGeneric,
         "Ray says that the application failed"),
    Outcome("RayJob/Complete", v1::SUCCEEDED, "the RayJob succeeded"),
    Says("RayJob/DeadlineExceeded", v1::DEADLINE_JOB, kHigh, Tier::kSpecific,
         "the RayJob ran longer than its activeDeadlineSeconds"),
    Says("RayJob/Failed", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the RayJob failed"),
    Says("RayJob/JobDeploymentStatusTransitionGracePeriodExceeded",
         v1::CONTROLLER_ERROR, kLow, Tier::kConvention,
         "the operator missed the end of the application"),
    Says("RayJob/JobStatusCheckTimeoutExceeded", v1::LAUNCHER_FAILED, kLow,
         Tier::kConvention,
         "Ray's dashboard stopped answering: the head pod "
         "is in trouble"),
    Says("RayJob/PreRunningDeadlineExceeded", v1::START_TIMEOUT, kMedium,
         Tier::kConvention, "the RayJob did not start in time"),
    Outcome("RayJob/STOPPED", v1::CANCELLED,
            "the Ray job was stopped by its "
            "user"),
    Says("RayJob/SubmissionFailed", v1::LAUNCHER_FAILED, kMedium,
         Tier::kConvention, "the submitter failed, not the application"),
    Held("RayJob/Suspended", "the RayJob is suspended"),
    {"RayJob/ValidationFailed", v1::CREATE_REJECTED, kHigh, Tier::kDecisive,
     kOperatorWeight, kNoFlags,
     "the operator cannot build a cluster from the specification"},
    Outcome("Spark/COMPLETED", v1::SUCCEEDED, "the application completed"),
    Says("Spark/FAILED", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the application failed"),
    Says("Spark/FAILING", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the application failed; the retry is undecided"),
    {"Spark/PENDING_RERUN", v1::APP_ERROR, kLow, Tier::kGeneric,
     kOperatorWeight, kRestarting,
     "the application failed; the operator submits it again"},
    Says("Spark/SUBMISSION_FAILED", v1::LAUNCHER_FAILED, kMedium,
         Tier::kConvention, "the submission failed, not the application"),
    Held("Spark/SUSPENDED", "the application is suspended"),
    Held("Spark/SUSPENDING", "the application is being suspended"),
    Outcome("TrainJob/Complete", v1::SUCCEEDED, "the TrainJob is complete"),
    Says("TrainJob/DeadlineExceeded", v1::DEADLINE_JOB, kHigh, Tier::kSpecific,
         "the TrainJob ran longer than its activeDeadlineSeconds"),
    Says("TrainJob/Failed", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the TrainJob failed"),
    {"TrainJob/JobsBuildFailed", v1::CREATE_REJECTED, kHigh, Tier::kDecisive,
     kOperatorWeight, kNoFlags,
     "the child objects could not be built from the specification"},
    {"TrainJob/JobsCreationFailed", v1::API_TRANSIENT, kMedium, Tier::kDecisive,
     kOperatorWeight, kNoFlags,
     "the child objects were built but could not be created"},
    Held("TrainJob/Suspended", "the TrainJob is suspended"),
    {"TrainJob/TrainingRuntimeNotSupported", v1::CREATE_REJECTED, kHigh,
     Tier::kDecisive, kOperatorWeight, kNoFlags,
     "the training runtime is not known to the controller"},
    Blaming(kConfiguration, kCannotRecover,
            {"Workload/ExceedsMaxQuota", v1::QUOTA_EXCEEDED, kHigh,
             Tier::kSpecific, kQueueWeight, kNoFlags,
             "the work asks for more than its queue can ever give"}),
    Says("Workload/Failed", v1::APP_ERROR, kLow, Tier::kGeneric,
         "the queued object failed"),
    {"Workload/FailedToStart", v1::CREATE_REJECTED, kMedium, Tier::kDecisive,
     kOperatorWeight, kNoFlags, "the queued object could not be started"},
    Held("Workload/Inactive", "the workload is deactivated"),
    {"Workload/OutOfSync", v1::CONTROLLER_ERROR, kMedium, Tier::kSpecific,
     kOperatorWeight, kNoFlags, "workload and queued object no longer agree"},
    {"Workload/OwnerNotFound", v1::CONTROLLER_ERROR, kMedium, Tier::kSpecific,
     kOperatorWeight, kNoFlags, "the queued object is gone"},
    {"Workload/Pending", v1::SUSPENDED, kMedium, Tier::kConvention,
     kQueueWeight, kNoFlags, "the workload waits in its queue for quota"},
    Outcome("Workload/Succeeded", v1::SUCCEEDED,
            "the queued object "
            "succeeded"),
    {"Workload/UnhealthyNodes", v1::NODE_LOST, kMedium, Tier::kSpecific,
     kQueueWeight, kNoFlags, "nodes assigned to the workload failed"},
};
static_assert(IsSorted(kStates));

constexpr TextSignature kOperatorStatesTexts[] = {
    {"active longer than specified deadline", nullptr,
     Says("deadline", v1::DEADLINE_JOB, kMedium, Tier::kSpecific,
          "the deadline of the workload passed")},
    {"specified backoff limit", nullptr,
     Says("backoff-limit", v1::APP_ERROR, kLow, Tier::kGeneric,
          "the workload used up its retries")},
    {"intentionally stopped", nullptr,
     Says("stopped", v1::CANCELLED, kMedium, Tier::kSpecific,
          "the workload was stopped on purpose")},
    {"driver pod not found", nullptr,
     Says("driver-gone", v1::CONTROLLER_ERROR, kLow, Tier::kConvention,
          "the driver pod is gone: deleted, or lost with its node")},
    {"driver container status missing", nullptr,
     Says("driver-no-status", v1::NODE_LOST, kLow, Tier::kConvention,
          "the driver pod has no container status")},
    {"reason: oomkilled", nullptr,
     Says("oomkilled", v1::CONTAINER_OOM, kMedium, Tier::kSpecific,
          "the operator saw a container killed at its memory limit")},
};

}  // namespace

std::span<const Signature> OperatorStates() { return kStates; }

const Signature* FindOperatorState(std::string_view state) {
  return Find(OperatorStates(), state);
}

const Signature* FindOperatorState(std::string_view source,
                                   std::string_view state) {
  if (state.empty()) return nullptr;
  char key[128];
  const std::size_t size = source.size() + 1 + state.size();
  if (size > sizeof(key)) return nullptr;
  source.copy(key, source.size());
  key[source.size()] = '/';
  state.copy(key + source.size() + 1, state.size());
  return FindOperatorState({key, size});
}

const TextTable& OperatorTexts() {
  static const TextTable* const table =
      new TextTable("operator", kOperatorStatesTexts);
  return *table;
}

}  // namespace mulligan::demystify
