// How Flyte's plugins judge their objects and an attempt. Each function names
// the Flyte function that it follows.
#ifndef MULLIGAN_POLICY_NATIVE_FLYTE_PLUGINS_H_
#define MULLIGAN_POLICY_NATIVE_FLYTE_PLUGINS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/times.h"
#include "policy/native/flyte/settings.h"

namespace mulligan::flyte {

using Pod = kubernetes::core::v1::Pod;

// The values of pluginmachinery/core.Phase that plugins return.
enum class Phase {
  kUndefined,
  kWaitingForResources,
  kQueued,
  kInitializing,
  kRunning,
  kSuccess,
  kRetryableFailure,
  kPermanentFailure,
};

// core.ExecutionError.ErrorKind: whose fault it is. Picks the budget of a
// retryable failure, but does not decide whether it is retried.
enum class ErrorKind { kUser, kSystem };

struct ExecutionError {
  std::string code;
  std::string message;
  ErrorKind kind = ErrorKind::kUser;
};

struct PhaseInfo {
  Phase phase = Phase::kUndefined;
  // Reason of a phase that is not a failure.
  std::string reason;
  // Set only for failures.
  std::optional<ExecutionError> error;
};

// A phase, or the error that a plugin returned, which ends the round.
using PhaseResult = absl::StatusOr<PhaseInfo>;

inline bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

// Returns a phase that is not a failure.
inline PhaseInfo InPhase(Phase phase, std::string reason = "") {
  return {phase, std::move(reason), {}};
}

inline PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                                  std::string message) {
  return {Phase::kRetryableFailure, "",
          ExecutionError{std::move(code), std::move(message), kind}};
}

// Always the user's fault.
inline PhaseInfo PermanentFailure(std::string code, std::string message) {
  return {Phase::kPermanentFailure, "",
          ExecutionError{std::move(code), std::move(message)}};
}

// Codes of more than one plugin.
inline constexpr char kDownstreamSystemError[] = "DownstreamSystemError";
inline constexpr char kInterrupted[] = "Interrupted";
inline constexpr char kUnknownError[] = "UnknownError";

// Returns when a condition last changed; infinitely long ago without a time.
template <typename Condition>
absl::Time TimeOf(const Condition& condition) {
  return condition.has_last_transition_time()
             ? ToTime(condition.last_transition_time())
             : ZeroTime();
}

// pod.DemystifyPodStatus: the phase of a task that is one plain pod.
PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now);

// flytek8s.DemystifyFailedOrPendingPod of v2: the phase of a plugin's pod that
// has failed or is pending; else Undefined. `primary` is the container whose
// end is the task's. Grace periods and the pending timeout start at the last
// transition of the condition examined; without a time it is infinitely old.
PhaseInfo FailedOrPendingPodPhase(const Pod& pod, std::string_view primary,
                                  const Settings& settings, absl::Time now);

// Returns the annotation that names the primary container; empty if none. Flyte
// sets it on pod tasks and on pods with one container, but not on raw container
// tasks.
std::string_view PrimaryContainerOf(
    const kubernetes::meta::v1::ObjectMeta& metadata);

// gpufault.ClassifyFailure of the unreleased branch
// gpu-forward/gpu-failure-classification: reclassifies `failure` by device
// faults, which a node daemon records as events, from 30 minutes before the
// pod's end to 2 minutes after. The first critical fault makes it the system's.
// Otherwise the first user fault makes it the user's if the failure has no code
// of its own.
PhaseInfo WithGpuFaults(
    PhaseInfo failure, const Pod& pod,
    const google::protobuf::RepeatedPtrField<kubernetes::core::v1::Event>&
        events,
    absl::Time now);

// Pods of the report; v2 examines one of them before the resource.
struct Surroundings {
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Settings& settings;
  absl::Time now;
};

// GetTaskPhase of the plugins for PyTorchJob, TFJob and MPIJob. Returns an
// error if the operator has not touched the job within its timeout, or if the
// job has conditions but none is True.
PhaseResult KubeflowJobPhase(const kubernetes::kubeflow::v1::TrainingJob& job,
                             const Surroundings& around);
// Returns whether Flyte has a plugin for the kind.
bool IsKubeflowKind(std::string_view kind);

// ray.GetTaskPhase. Lacks the error file that v2 reads after a failure, because
// reports do not have it.
PhaseResult RayJobPhase(const kubernetes::ray::v1::RayJob& job,
                        const Surroundings& around);

// spark.GetTaskPhase. Does not see the operator's own retries.
PhaseResult SparkApplicationPhase(
    const kubernetes::spark::v1beta2::SparkApplication& application,
    const Surroundings& around);

// clustered.GetTaskPhase of v2, for tasks that run as a JobSet. Judges only the
// newest pod of rank 0.
PhaseResult JobSetPhase(const kubernetes::jobset::v1alpha2::JobSet& job_set,
                        const Surroundings& around);

// launchResource of the plugin manager, after building the object failed or the
// API server returned an error. `is_pod`: the object is a plain pod, the only
// kind that v1's quota back-off guards.
PhaseResult CreationPhase(const v1::CreationError& error, bool is_pod,
                          const Settings& settings);

// Returns whether an object of the report belongs to a Flyte task: it is owned
// by a FlyteWorkflow or TaskAction, or has Flyte's node and execution labels,
// its finalizer or a key under flyte.org/.
bool HasFlyteMarks(const v1::FailureReport& report);

// The reported task as its plugin sees it.
struct ReportedTask {
  // Phase of the pod or custom resource, or of the attempt to create it.
  PhaseResult result = InPhase(Phase::kUndefined);
  // The object does not exist; `result` is about creating it.
  bool is_launch = false;
  // The task is one plain pod.
  bool is_pod = false;
  // For messages of v2: "pod", "ray".
  std::string plugin;
  // When the object was created; absent if unknown.
  std::optional<absl::Time> created;
  bool interruptible = false;
  // What was not understood or not checked.
  std::vector<std::string> warnings;
};

// Returns the first of: the custom resource, the creation error, the first
// failed pod, the first pod. Empty if Flyte has no plugin for anything in the
// report.
std::optional<ReportedTask> FindReportedTask(const v1::FailureReport& report,
                                             const Settings& settings,
                                             absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_NATIVE_FLYTE_PLUGINS_H_
