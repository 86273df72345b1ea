// RayJobs and RayClusters (KubeRay 1.5).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "policy/base/shell.h"
#include "policy/base/utf8.h"
#include "policy/request/field_path.h"
#include "policy/request/views/ray_words.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

namespace ray = kubernetes::ray::v1;

constexpr PhaseOfWord kRayJobWords[] = {
    {rayjob::kNew, WorkloadPhase::kWaits},
    {rayjob::kInitializing, WorkloadPhase::kWaits},
    {rayjob::kWaiting, WorkloadPhase::kWaits},
    {rayjob::kRunning, WorkloadPhase::kRuns},
    {rayjob::kComplete, WorkloadPhase::kSucceeded},
    {rayjob::kFailed, WorkloadPhase::kGivenUp},
    {rayjob::kValidationFailed, WorkloadPhase::kFailing},
    {rayjob::kRetrying, WorkloadPhase::kRestarts},
    {rayjob::kSuspending, WorkloadPhase::kHeld},
    {rayjob::kSuspended, WorkloadPhase::kHeld},
};

// A condition of a cluster, and the name of its state in the tables.
struct ClusterCondition {
  std::string_view type;
  std::string_view status;
  std::string_view state;
};
constexpr ClusterCondition kClusterConditions[] = {
    {"HeadPodReady", "False", "HeadPodReady=False"},
    {"ReplicaFailure", "True", "ReplicaFailure"},
    {"RayClusterSuspended", "True", "Suspended"},
    {"RayClusterSuspending", "True", "Suspended"},
};

// Paths of a cluster's status: in the cluster or in its RayJob.
struct ClusterPlace {
  const char* state;
  const char* reason;
  const char* conditions;
};
constexpr ClusterPlace kOwnStatus = {".status.state", ".status.reason",
                                     ".status.conditions"};
constexpr ClusterPlace kStatusOfJob = {".status.rayClusterStatus.state",
                                       ".status.rayClusterStatus.reason",
                                       ".status.rayClusterStatus.conditions"};

void AddCluster(const ray::RayClusterStatus& status, const ClusterPlace& place,
                bool own, WorkloadView& view) {
  view.conditions = ConditionList(status.conditions());
  view.conditions_are_stated = true;
  // Releases without conditions report it in the state.
  const bool failed = status.state() == "failed";
  if (failed || (own && status.state() == "suspended")) {
    Statement& said = view.statements.emplace_back();
    said.source = "RayCluster";
    said.state = failed ? "ReplicaFailure" : "Suspended";
    said.shown = status.state();
    said.message = status.reason();
    said.leaf = place.state;
    said.message_leaf = place.reason;
  }
  for (int i = 0; i < status.conditions_size(); ++i) {
    const auto& condition = status.conditions(i);
    for (const ClusterCondition& row : kClusterConditions) {
      if (row.type != condition.type() || row.status != condition.status()) {
        continue;
      }
      Statement& said = view.statements.emplace_back();
      said.source = "RayCluster";
      said.state = row.state;
      said.shown = condition.type();
      said.message = condition.message();
      said.at = &condition.last_transition_time();
      said.list = place.conditions;
      said.item = i;
      said.leaf = ".type";
    }
  }
}

// Returns whether KubeRay has created a new cluster or is about to. It clears
// the status of the previous attempt except for the counters.
bool HasRetried(const ray::RayJobStatus& status) {
  return status.failed() > 0 &&
         status.job_deployment_status() != rayjob::kFailed;
}

// The application succeeded, but the submitter is late.
bool IsLate(const ray::RayJobStatus& status) {
  return status.job_deployment_status() == rayjob::kFailed &&
         status.job_status() == rayjob::kJobSucceeded &&
         status.reason() == rayjob::kGracePeriodExceeded;
}

// The application succeeded, but the operator still waits for the submitter.
bool IsAhead(const ray::RayJobStatus& status) {
  return status.job_deployment_status() == rayjob::kRunning &&
         status.job_status() == rayjob::kJobSucceeded;
}

// Until KubeRay 1.1 a failed application ended as Complete. Since then a reason
// on a Complete job does not mean failure.
bool IsComplete(const ray::RayJobStatus& status) {
  return IsLate(status) || IsAhead(status) ||
         (status.job_deployment_status() == rayjob::kComplete &&
          status.job_status() != rayjob::kJobFailed);
}

Statement StatementOf(const ray::RayJobStatus& status) {
  Statement said;
  said.source = "RayJob";
  said.message = status.message();
  said.message_leaf = ".status.message";
  said.at = &status.end_time();
  said.leaf = ".status.jobDeploymentStatus";
  const std::string& deployment = status.job_deployment_status();
  const bool failed = status.job_status() == rayjob::kJobFailed;
  said.state =
      IsLate(status) || IsAhead(status) ? rayjob::kComplete : deployment;
  if (status.job_status() == rayjob::kJobStopped) {
    said.state = rayjob::kJobStopped;
    said.leaf = ".status.jobStatus";
  } else if (deployment == rayjob::kSuspending) {
    said.state = rayjob::kSuspended;
  } else if (!IsComplete(status) && deployment != rayjob::kSuspended) {
    if (failed && deployment != rayjob::kValidationFailed)
      said.state = rayjob::kFailed;
    said.reason = status.reason();
    if (!said.reason.empty()) {
      said.leaf = ".status.reason";
    } else if (failed) {
      said.leaf = ".status.jobStatus";
    }
  }
  // A retry covers everything that has failed so far.
  said.restarts = deployment == rayjob::kRetrying;
  return said;
}

}  // namespace

bool ViewRayJob(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_ray_job()) return false;
  const auto& job = report.ray_job();
  const auto& status = job.status();
  view.kind_name = "RayJob";
  ViewObject(job, view);
  view.state = status.job_deployment_status();
  view.state_leaf = ".status.jobDeploymentStatus";
  view.phase = PhaseBy(kRayJobWords, view.state_leaf, view.state, view);
  if (std::ranges::find(rayjob::kJobWords, status.job_status()) ==
      std::end(rayjob::kJobWords)) {
    view.unknown_words.push_back({".status.jobStatus", status.job_status()});
  }
  // Until KubeRay 1.1 the deployment may differ from the job's end.
  if (view.phase == WorkloadPhase::kSucceeded &&
      (status.job_status() == rayjob::kJobFailed ||
       status.job_status() == rayjob::kJobStopped)) {
    view.phase = WorkloadPhase::kGivenUp;
  }
  // The operator does not know of the success yet.
  if (IsAhead(status)) view.phase = WorkloadPhase::kSucceeded;
  if (view.phase == WorkloadPhase::kRuns &&
      status.job_status() == rayjob::kJobFailed) {
    view.phase = WorkloadPhase::kFailing;
  }
  if (IsComplete(status)) view.suspend_leaf = nullptr;
  view.has_run = !status.job_status().empty();
  view.was_tried = view.has_run || status.failed() > 0;
  view.program_failed = status.job_status() == rayjob::kJobFailed ||
                        status.reason() == rayjob::kAppFailed;
  if (HasRetried(status)) {
    view.restarts = 1;
    view.attempt_label = "ray.io/cluster";
    view.attempt = status.ray_cluster_name();
  }
  view.part_kind = "RayCluster";
  view.part = status.ray_cluster_name();
  view.deadline_seconds = job.spec().active_deadline_seconds();
  view.reason = status.reason();
  view.message = status.message();
  view.message_path = "rayJob.status.message";
  view.statements.push_back(StatementOf(status));
  AddCluster(status.ray_cluster_status(), kStatusOfJob, false, view);
  view.conditions_of = "status.rayClusterStatus";
  if (job.spec().has_backoff_limit()) {
    view.retry_limit = job.spec().backoff_limit();
  }
  view.counts = {{"backoffLimit", job.spec().backoff_limit()},
                 {"succeeded", status.succeeded()},
                 {"failed", status.failed()}};
  view.attempt_began = &status.start_time();
  view.times = {view.attempt_began, &status.end_time()};
  return true;
}

void BoundRayJob(const v1::FailureReport& report, const FieldPath& job) {
  const auto& status = report.ray_job().status();
  const FieldPath path = job.In("status");
  path.Name("reason", status.reason());
  path.Message("message", status.message());
  path.Time("startTime", status.start_time());
  path.Time("endTime", status.end_time());
}

NativeCount CountRayJob(const v1::FailureReport& report, std::int32_t earlier) {
  const auto& status = report.ray_job().status();
  const std::string& state = status.job_deployment_status();
  const bool counted = state == rayjob::kFailed || state == rayjob::kRetrying;
  return MakeNativeCount(
      std::int64_t{status.failed()} - (counted ? 1 : 0) - earlier,
      status.failed(), "RayJob.status.failed", status.failed());
}

bool IdentifyRayJob(const v1::FailureReport& report, StableHash& hash) {
  const auto& status = report.ray_job().status();
  hash.Add(status.job_id()).Add(status.ray_cluster_name());
  const bool has_start = Identify(status.start_time(), hash);
  return has_start || !status.job_id().empty() ||
         !status.ray_cluster_name().empty();
}

bool CleanRayJob(const v1::FailureReport& report, v1::FailureReport* cleaned) {
  const std::string& log = report.ray_job().status().message();
  if (!HoldsEscape(log)) return false;
  if (cleaned != nullptr) {
    cleaned->mutable_ray_job()->mutable_status()->set_message(
        WithoutEscapes(log));
  }
  return true;
}

bool ViewRayCluster(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_ray_cluster()) return false;
  view.kind_name = "RayCluster";
  ViewObject(report.ray_cluster(), view);
  // Its state says whether it is suspended.
  view.suspend_leaf = nullptr;
  AddCluster(report.ray_cluster().status(), kOwnStatus, true, view);
  return true;
}

void TellRayJob(const v1::FailureReport& report, ObjectWords& words) {
  const auto& job = report.ray_job();
  const auto& status = job.status();
  const std::string& mode = job.spec().submission_mode();
  const std::string command = absl::StrCat(
      "kubectl logs", InNamespace(job.metadata().namespace_()), " ");
  if (mode.empty() || mode == "K8sJobMode") {
    // The submitter Job has the RayJob's name, and its log has the
    // application's output.
    words.log_command = command + ShellWord("job/" + job.metadata().name());
  } else if (!status.ray_cluster_name().empty()) {
    words.log_command =
        command + "-l " +
        ShellWord(absl::StrCat("ray.io/cluster=", status.ray_cluster_name(),
                               ",ray.io/node-type=head"));
  }
  words.memory_remedy =
      "raise the memory of the Ray nodes in spec.rayClusterSpec, or let fewer "
      "tasks run on each (their num_cpus or memory)";
  words.tries.of = "attempt";
  words.tries.made = status.failed();
  words.tries.used = words.tries.made - 1;
  words.tries.limit = job.spec().backoff_limit();
}

}  // namespace mulligan
