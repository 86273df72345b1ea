#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/native/flyte/plugins.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"
#include "policy/request/views/ray_words.h"
#include "policy/request/views/spark_words.h"

namespace mulligan::flyte {
namespace {

using kubernetes::jobset::v1alpha2::JobSet;
using kubernetes::kubeflow::v1::TrainingJob;
using kubernetes::ray::v1::RayJob;
using kubernetes::spark::v1beta2::SparkApplication;

absl::Time TimeOrZero(bool is_set, const google::protobuf::Timestamp& time) {
  return is_set ? ToTime(time) : ZeroTime();
}

// Sorts by latest transition, newest first; equal times keep their order.
template <typename Condition>
std::vector<const Condition*> NewestFirst(
    const google::protobuf::RepeatedPtrField<Condition>& conditions) {
  std::vector<const Condition*> sorted;
  for (const Condition& condition : conditions) sorted.push_back(&condition);
  std::ranges::stable_sort(
      sorted, [](auto* a, auto* b) { return TimeOf(*a) > TimeOf(*b); });
  return sorted;
}

// Returns the first condition with status True, or null.
template <typename Condition>
const Condition* FirstTrue(const std::vector<const Condition*>& conditions) {
  const auto found = std::ranges::find_if(
      conditions,
      [](const Condition* condition) { return condition->status() == "True"; });
  return found == conditions.end() ? nullptr : *found;
}

// Returns v2's verdict on the failed pod called `name`, which precedes that on
// the resource. A resource without a namespace finds pods in all of them.
std::optional<PhaseInfo> FailureOfPod(
    const kubernetes::meta::v1::ObjectMeta& resource, std::string_view name,
    std::string_view container, const Surroundings& around) {
  if (!around.settings.rules.v2) return std::nullopt;
  for (const Pod& pod : around.pods) {
    const auto& metadata = pod.metadata();
    const bool elsewhere = !resource.namespace_().empty() &&
                           !metadata.namespace_().empty() &&
                           metadata.namespace_() != resource.namespace_();
    if (metadata.name() != name || elsewhere) continue;
    const PhaseInfo info =
        FailedOrPendingPodPhase(pod, container, around.settings, around.now);
    if (IsFailure(info.phase)) return info;
    if (info.phase != Phase::kUndefined) return std::nullopt;
  }
  return std::nullopt;
}

struct KubeflowRow {
  std::string_view kind;
  // As in the plugin's messages.
  std::string_view name;
  // Container of worker 0 that is checked; empty if no pod is.
  std::string_view container;
};

constexpr std::array<KubeflowRow, 3> kKubeflow = {{
    {"PyTorchJob", "pytorch", "pytorch"},
    {"TFJob", "tensorflow", ""},
    {"MPIJob", "mpi", ""},
}};

const KubeflowRow* FindKubeflow(std::string_view kind) {
  return FindIn(kKubeflow,
                [&](const KubeflowRow& row) { return row.kind == kind; });
}

using JobConditions =
    std::vector<const kubernetes::kubeflow::v1::JobCondition*>;

// Contains the slice as Go prints it.
absl::Status NoCurrentCondition(const JobConditions& conditions) {
  std::string text;
  for (const auto* const condition : conditions) {
    absl::StrAppendFormat(
        &text,
        "%s{Type:%s Status:%s Reason:%s Message:%s LastUpdateTime:%s "
        "LastTransitionTime:%s}",
        text.empty() ? "" : " ", condition->type(), condition->status(),
        condition->reason(), condition->message(),
        GoTimestamp(TimeOrZero(condition->has_last_update_time(),
                               condition->last_update_time())),
        GoTimestamp(TimeOf(*condition)));
  }
  return absl::UnknownError(
      absl::StrCat("found no current condition. Conditions: [", text, "]"));
}

// The phase of a resource in a state that is not a failure.
struct StateRow {
  std::string_view state;
  Phase phase;
  const char* reason;
};

template <std::size_t N>
std::optional<PhaseInfo> PhaseOf(const std::array<StateRow, N>& rows,
                                 std::string_view state) {
  for (const StateRow& row : rows) {
    if (row.state == state) return InPhase(row.phase, row.reason);
  }
  return std::nullopt;
}

constexpr std::array<StateRow, 3> kConditions = {{
    {"Running", Phase::kRunning, ""},
    {"Restarting", Phase::kRunning, ""},
    {"Succeeded", Phase::kSuccess, ""},
}};

// common.GetPhaseInfo, or GetMPIPhaseInfo where that is called. `type` is empty
// for a job without conditions.
PhaseInfo ConditionPhase(const std::string& type, bool is_mpi,
                         const Rules& rules) {
  const bool own_messages = is_mpi && rules.mpi_has_own_messages;
  if (type == "Created" || (type.empty() && !own_messages)) {
    return InPhase(
        Phase::kQueued,
        own_messages ? "New job name submitted to MPI operator" : "JobCreated");
  }
  if (type == "Suspended" && rules.suspended_is_queued) {
    return InPhase(Phase::kQueued, "Suspended");
  }
  return PhaseOf(kConditions, type).value_or(InPhase(Phase::kUndefined));
}

bool IsOverdue(const TrainingJob& job, const Surroundings& around) {
  if (job.status().has_start_time()) return false;
  if (around.settings.rules.suspended_is_not_overdue &&
      job.spec().run_policy().suspend()) {
    return false;
  }
  return ToTime(job.metadata().creation_timestamp()) +
             around.settings.operator_timeout <
         around.now;
}

// jobDeploymentStatus of RayJobs that have not failed. Flyte does not know
// KubeRay's Retrying, Waiting and ValidationFailed.
constexpr std::array<StateRow, 6> kRay = {{
    {rayjob::kNew, Phase::kQueued, "Scheduling"},
    {rayjob::kInitializing, Phase::kInitializing, "cluster is creating"},
    {rayjob::kRunning, Phase::kRunning, ""},
    {rayjob::kComplete, Phase::kSuccess, ""},
    {rayjob::kSuspended, Phase::kQueued, "Suspended"},
    {rayjob::kSuspending, Phase::kQueued, "Suspending"},
}};

PhaseInfo FailedRayJobPhase(const RayJob& job, const Rules& rules) {
  const auto& status = job.status();
  std::string code = "TaskFailedWithError";
  std::string message =
      absl::StrFormat("Failed to run Ray job %s with error: [%s] %s",
                      job.metadata().name(), status.reason(), status.message());
  // In v2, KubeRay lost track of the job and the task left no verdict.
  const bool is_system = rules.v2
                             ? status.reason() == rayjob::kGracePeriodExceeded
                             : rules.ray_failure_is_system;
  return is_system ? RetryableFailure(ErrorKind::kSystem, std::move(code),
                                      std::move(message))
                   : PermanentFailure(std::move(code), std::move(message));
}

// The operator's NewState is empty; its documentation calls it NEW. A state
// that is neither listed nor a failure means running.
constexpr std::array<StateRow, 4> kSpark = {{
    {"", Phase::kQueued, "job queued"},
    {"NEW", Phase::kQueued, "job queued"},
    {spark::kSubmitted, Phase::kInitializing, "job submitted"},
    {spark::kCompleted, Phase::kSuccess, ""},
}};

constexpr std::string_view kWorkers = "workers";

// Returns a failure of rank 0, by its newest pod, that is reported before the
// JobSet has failed.
std::optional<PhaseInfo> FastFailure(const JobSet& job_set,
                                     bool is_out_of_restarts,
                                     const Surroundings& around) {
  const std::string prefix =
      absl::StrFormat("%s-%s-0-0", job_set.metadata().name(), kWorkers);
  const Pod* newest = nullptr;
  for (const Pod& pod : around.pods) {
    if (pod.metadata().name().starts_with(prefix) &&
        (newest == nullptr ||
         ToTime(pod.metadata().creation_timestamp()) >
             ToTime(newest->metadata().creation_timestamp()))) {
      newest = &pod;
    }
  }
  if (newest == nullptr) return std::nullopt;
  if (newest->status().phase() == "Failed" && !is_out_of_restarts) {
    return std::nullopt;
  }
  const PhaseInfo info =
      FailedOrPendingPodPhase(*newest, PrimaryContainerOf(job_set.metadata()),
                              around.settings, around.now);
  return IsFailure(info.phase) ? std::optional(info) : std::nullopt;
}

}  // namespace

bool IsKubeflowKind(std::string_view kind) {
  return FindKubeflow(kind) != nullptr;
}

PhaseResult KubeflowJobPhase(const TrainingJob& job,
                             const Surroundings& around) {
  const KubeflowRow& row = *FindKubeflow(job.kind());
  if (!row.container.empty()) {
    if (const auto failure = FailureOfPod(
            job.metadata(), absl::StrCat(job.metadata().name(), "-worker-0"),
            row.container, around)) {
      return *failure;
    }
  }
  if (IsOverdue(job, around)) {
    const auto& metadata = job.metadata();
    return absl::UnknownError(absl::StrFormat(
        "kubeflow operator hasn't updated the %s custom resource since "
        "creation time %s",
        row.name,
        GoTimestamp(TimeOrZero(metadata.has_creation_timestamp(),
                               metadata.creation_timestamp()))));
  }
  const auto conditions = NewestFirst(job.status().conditions());
  const auto* const current = FirstTrue(conditions);
  if (current == nullptr && !conditions.empty()) {
    return NoCurrentCondition(conditions);
  }
  const std::string type = current == nullptr ? "" : current->type();
  if (type == "Failed") {
    return RetryableFailure(
        ErrorKind::kUser, kDownstreamSystemError,
        absl::StrFormat("Job failed:\n\t%s - %s", current->reason(),
                        current->message()));
  }
  return ConditionPhase(type, row.name == "mpi", around.settings.rules);
}

PhaseResult RayJobPhase(const RayJob& job, const Surroundings& around) {
  const auto& status = job.status();
  if (!status.ray_cluster_name().empty()) {
    if (const auto failure = FailureOfPod(
            job.metadata(), absl::StrCat(status.ray_cluster_name(), "-head"),
            "ray-head", around)) {
      return *failure;
    }
  }
  if (const auto info = PhaseOf(kRay, status.job_deployment_status())) {
    return *info;
  }
  if (status.job_deployment_status() == rayjob::kFailed) {
    return FailedRayJobPhase(job, around.settings.rules);
  }
  return absl::UnknownError(absl::StrCat("unknown job deployment status: ",
                                         status.job_deployment_status()));
}

PhaseResult SparkApplicationPhase(const SparkApplication& application,
                                  const Surroundings& around) {
  const auto& status = application.status();
  if (const auto failure =
          FailureOfPod(application.metadata(), status.driver_info().pod_name(),
                       spark::kDriverContainer, around)) {
    return *failure;
  }
  const std::string_view state = status.application_state().state();
  if (state == spark::kFailed || state == spark::kSubmissionFailed) {
    return RetryableFailure(
        ErrorKind::kUser, kDownstreamSystemError,
        absl::StrFormat(
            "Spark Job %s with Error: %s",
            state == spark::kFailed ? "Failed" : " Submission Failed",
            status.application_state().error_message()));
  }
  return PhaseOf(kSpark, state).value_or(InPhase(Phase::kRunning));
}

PhaseResult JobSetPhase(const JobSet& job_set, const Surroundings& around) {
  const auto& status = job_set.status();
  const auto* const group =
      FindNamed(status.replicated_jobs_status(), kWorkers);
  const auto workers = group == nullptr
                           ? kubernetes::jobset::v1alpha2::ReplicatedJobStatus()
                           : *group;
  const bool has_started = status.restarts() > 0 || workers.ready() > 0 ||
                           workers.active() > 0 || workers.succeeded() > 0 ||
                           workers.failed() > 0;
  const bool is_out_of_restarts =
      workers.failed() > 0 &&
      status.restarts() >= job_set.spec().failure_policy().max_restarts();
  const auto* const current = FirstTrue(NewestFirst(status.conditions()));
  const std::string type = current == nullptr ? "" : current->type();
  if (current == nullptr && !has_started) {
    return InPhase(Phase::kInitializing, "pods scheduling / DNS resolving");
  }
  if (type == "Completed") return InPhase(Phase::kSuccess);
  if (type == "Failed") {
    return RetryableFailure(ErrorKind::kUser, current->reason(),
                            current->message());
  }
  const bool is_restarting = type == "RestartingJobSet";
  if (const auto failure =
          FastFailure(job_set, is_out_of_restarts && !is_restarting, around)) {
    return *failure;
  }
  return InPhase(Phase::kRunning,
                 absl::StrCat(is_restarting ? "restart in progress (attempt "
                                            : "running (restart attempt ",
                              status.restarts(), ")"));
}

}  // namespace mulligan::flyte
