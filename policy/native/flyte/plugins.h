// What Flyte's plugins make of the objects they wrote, and of one attempt: each
// function says which of Flyte's it follows.
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

// Of pluginmachinery/core.Phase those that a plugin answers.
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

// core.ExecutionError.ErrorKind: whose fault. On a retryable failure it picks
// the budget; whether a failure is retried is another question.
enum class ErrorKind { kUser, kSystem };

struct ExecutionError {
  std::string code;
  std::string message;
  ErrorKind kind = ErrorKind::kUser;
};

struct PhaseInfo {
  Phase phase = Phase::kUndefined;
  // What a phase that is no failure says.
  std::string reason;
  // Set for failures only.
  std::optional<ExecutionError> error;
};

// A phase, or the error that a plugin returned: the round comes to nothing.
using PhaseResult = absl::StatusOr<PhaseInfo>;

inline bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

// A phase that is no failure.
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

// Codes that more than one plugin uses.
inline constexpr char kDownstreamSystemError[] = "DownstreamSystemError";
inline constexpr char kInterrupted[] = "Interrupted";
inline constexpr char kUnknownError[] = "UnknownError";

// When a condition changed last. Without a time: infinitely long ago.
template <typename Condition>
absl::Time TimeOf(const Condition& condition) {
  return condition.has_last_transition_time()
             ? ToTime(condition.last_transition_time())
             : ZeroTime();
}

// pod.DemystifyPodStatus: the phase of a task that is one plain pod.
PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now);

// flytek8s.DemystifyFailedOrPendingPod of v2: what a plugin's pod says if it
// has failed or is pending; Undefined otherwise. `primary` is the container
// whose end is the task's end. Grace periods and the pending timeout count from
// the last transition of the condition that is looked at; one without a time is
// infinitely old.
PhaseInfo FailedOrPendingPodPhase(const Pod& pod, std::string_view primary,
                                  const Settings& settings, absl::Time now);

// Annotation that names the primary container. Flyte sets it on pod tasks and
// on pods with one container, but not on raw container tasks. Empty: none.
std::string_view PrimaryContainerOf(
    const kubernetes::meta::v1::ObjectMeta& metadata);

// gpufault.ClassifyFailure of the branch
// gpu-forward/gpu-failure-classification, not released: `failure` of the pod
// with the faults of its devices, which a node daemon records as events, that
// can explain it: those from 30 minutes before its end to two minutes after.
// The first critical one makes it the system's; else the first of the user's
// makes it the user's if the failure has no code of its own.
PhaseInfo WithGpuFaults(
    PhaseInfo failure, const Pod& pod,
    const google::protobuf::RepeatedPtrField<kubernetes::core::v1::Event>&
        events,
    absl::Time now);

// Pods of the report: v2 looks at one of them before the resource.
struct Surroundings {
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Settings& settings;
  absl::Time now;
};

// GetTaskPhase of the plugins for PyTorchJob, TFJob and MPIJob. An error when
// the operator has not touched the job for longer than its timeout, and when
// it has conditions but none is True.
PhaseResult KubeflowJobPhase(const kubernetes::kubeflow::v1::TrainingJob& job,
                             const Surroundings& around);
// Whether Flyte has a plugin for the kind.
bool IsKubeflowKind(std::string_view kind);

// ray.GetTaskPhase. The error file, which v2 reads when the job has failed, is
// not in a report.
PhaseResult RayJobPhase(const kubernetes::ray::v1::RayJob& job,
                        const Surroundings& around);

// spark.GetTaskPhase. The operator's own retries are not seen.
PhaseResult SparkApplicationPhase(
    const kubernetes::spark::v1beta2::SparkApplication& application,
    const Surroundings& around);

// clustered.GetTaskPhase of v2, for tasks that run as a JobSet. Of the pods
// only the newest of rank 0 is judged.
PhaseResult JobSetPhase(const kubernetes::jobset::v1alpha2::JobSet& job_set,
                        const Surroundings& around);

// launchResource of the plugin manager, when the object could not be built
// from the task or the API server answered with an error. `is_pod`: the object
// is a plain pod, the only kind that v1's quota back-off guards.
PhaseResult CreationPhase(const v1::CreationError& error, bool is_pod,
                          const Settings& settings);

// Whether an object of the report is a Flyte task's: owned by a FlyteWorkflow
// or TaskAction, carrying Flyte's labels of node and execution, its finalizer
// or a key under flyte.org/.
bool HasFlyteMarks(const v1::FailureReport& report);

// The task of a report as its plugin sees it.
struct ReportedTask {
  // Of the pod or custom resource, or of the attempt to make it.
  PhaseResult result = InPhase(Phase::kUndefined);
  // The object does not exist: `result` is about making it.
  bool is_launch = false;
  // It is one plain pod.
  bool is_pod = false;
  // For messages of v2: "pod", "ray".
  std::string plugin;
  // When the object was made. Absent: unknown.
  std::optional<absl::Time> created;
  // Whether this attempt may run on spot capacity.
  bool interruptible = false;
  // What was not understood or not looked at.
  std::vector<std::string> warnings;
};

// The custom resource if there is one, else the creation error, else of the
// pods the first that has failed, else the first. Nothing when the report has
// none that Flyte has a plugin for.
std::optional<ReportedTask> FindReportedTask(const v1::FailureReport& report,
                                             const Settings& settings,
                                             absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_NATIVE_FLYTE_PLUGINS_H_
