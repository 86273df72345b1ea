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

constexpr PhaseOfState kRayJobPhases[] = {
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
    Statement& statement = view.statements.emplace_back();
    statement.source = "RayCluster";
    statement.state = failed ? "ReplicaFailure" : "Suspended";
    statement.shown = status.state();
    statement.message = status.reason();
    statement.leaf = place.state;
    statement.message_leaf = place.reason;
  }
  for (int i = 0; i < status.conditions_size(); ++i) {
    const auto& condition = status.conditions(i);
    for (const ClusterCondition& row : kClusterConditions) {
      if (row.type != condition.type() || row.status != condition.status()) {
        continue;
      }
      Statement& statement = view.statements.emplace_back();
      statement.source = "RayCluster";
      statement.state = row.state;
      statement.shown = condition.type();
      statement.message = condition.message();
      statement.at = &condition.last_transition_time();
      statement.list = place.conditions;
      statement.item = i;
      statement.leaf = ".type";
    }
  }
}

// Returns whether KubeRay has created a new cluster or is about to. It clears
// the status of the previous attempt except for the counters.
bool HasRetried(const ray::RayJobStatus& status) {
  return status.failed() > 0 &&
         status.job_deployment_status() != rayjob::kFailed;
}

// Returns whether the application succeeded, but the submitter is late.
bool IsLate(const ray::RayJobStatus& status) {
  return status.job_deployment_status() == rayjob::kFailed &&
         status.job_status() == rayjob::kJobSucceeded &&
         status.reason() == rayjob::kGracePeriodExceeded;
}

// Returns whether the application succeeded before its submitter ended.
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
  Statement statement;
  statement.source = "RayJob";
  statement.message = status.message();
  statement.message_leaf = ".status.message";
  statement.at = &status.end_time();
  statement.leaf = ".status.jobDeploymentStatus";
  const std::string& deployment = status.job_deployment_status();
  const bool failed = status.job_status() == rayjob::kJobFailed;
  statement.state =
      IsLate(status) || IsAhead(status) ? rayjob::kComplete : deployment;
  if (status.job_status() == rayjob::kJobStopped) {
    statement.state = rayjob::kJobStopped;
    statement.leaf = ".status.jobStatus";
  } else if (deployment == rayjob::kSuspending) {
    statement.state = rayjob::kSuspended;
  } else if (!IsComplete(status) && deployment != rayjob::kSuspended) {
    if (failed && deployment != rayjob::kValidationFailed)
      statement.state = rayjob::kFailed;
    statement.reason = status.reason();
    if (!statement.reason.empty()) {
      statement.leaf = ".status.reason";
    } else if (failed) {
      statement.leaf = ".status.jobStatus";
    }
  }
  // A retry covers everything that has failed so far.
  statement.restarts = deployment == rayjob::kRetrying;
  return statement;
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
  view.phase = PhaseBy(kRayJobPhases, view.state_leaf, view.state, view);
  if (std::ranges::find(rayjob::kJobStatuses, status.job_status()) ==
      std::end(rayjob::kJobStatuses)) {
    view.unknown_values.push_back({".status.jobStatus", status.job_status()});
  }
  // Until KubeRay 1.1 the deployment may differ from the job's end.
  if (view.phase == WorkloadPhase::kSucceeded &&
      (status.job_status() == rayjob::kJobFailed ||
       status.job_status() == rayjob::kJobStopped)) {
    view.phase = WorkloadPhase::kGivenUp;
  }
  if (IsAhead(status)) view.phase = WorkloadPhase::kSucceeded;
  if (view.phase == WorkloadPhase::kRuns &&
      status.job_status() == rayjob::kJobFailed) {
    view.phase = WorkloadPhase::kFailing;
  }
  if (IsComplete(status)) view.suspend_leaf = nullptr;
  // KubeRay 1.6, of one that keeps its cluster or uses another.
  const auto& spec = report.ray_job().spec();
  view.refuses_suspension =
      !spec.shutdown_after_job_finishes() || !spec.cluster_selector().empty();
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
  if (!ContainsEscape(log)) return false;
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

void DescribeRayJob(const v1::FailureReport& report, ObjectDetails& words) {
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
