#include "policy/operators/flyte/ray.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/pod.h"

namespace mulligan::flyte {
namespace {

struct StatusRow {
  std::string_view status;
  Phase phase;
  std::string_view reason;
};

// jobDeploymentStatus of RayJobs that have not failed. KubeRay's Retrying,
// Waiting and ValidationFailed are unknown to Flyte.
constexpr std::array<StatusRow, 6> kStatuses = {{
    {"", Phase::kQueued, "Scheduling"},
    {"Initializing", Phase::kInitializing, "cluster is creating"},
    {"Running", Phase::kRunning, ""},
    {"Complete", Phase::kSuccess, ""},
    {"Suspended", Phase::kQueued, "Suspended"},
    {"Suspending", Phase::kQueued, "Suspending"},
}};

PhaseInfo FailedJobPhase(const RayJob& job,
                         const std::optional<ErrorFile>& error_file,
                         const Rules& rules) {
  const auto& status = job.status();
  const std::string code(kTaskFailedWithError);
  const std::string message =
      absl::StrFormat("Failed to run Ray job %s with error: [%s] %s",
                      job.metadata().name(), status.reason(), status.message());
  if (!rules.v2) {
    if (!rules.ray_failure_is_system) {
      return PermanentFailure(ErrorKind::kUser, code, message);
    }
    return WithCleanup(RetryableFailure(ErrorKind::kSystem, code, message));
  }
  if (error_file.has_value()) {
    const bool recoverable =
        error_file->content.has_value() && error_file->content->recoverable;
    return recoverable ? RetryableFailure(ErrorKind::kUser, code, message)
                       : PermanentFailure(ErrorKind::kUser, code, message);
  }
  // KubeRay lost track of the job; the task left no verdict of its own.
  if (status.reason() == "JobDeploymentStatusTransitionGracePeriodExceeded") {
    return WithCleanup(RetryableFailure(ErrorKind::kSystem, code, message));
  }
  return PermanentFailure(ErrorKind::kUser, code, message);
}

}  // namespace

PhaseResult RayJobPhase(const RayJob& job, const Pods& pods,
                        const std::optional<ErrorFile>& error_file,
                        const Settings& settings, absl::Time now) {
  const auto& status = job.status();
  if (settings.rules.judges_plugin_pods && !status.ray_cluster_name().empty()) {
    const PhaseInfo info = FailedOrPendingPodPhase(
        pods, job.metadata().namespace_(),
        absl::StrCat(status.ray_cluster_name(), "-head"), "ray-head", settings,
        now);
    if (IsFailure(info.phase)) return info;
  }
  for (const StatusRow& row : kStatuses) {
    if (row.status == status.job_deployment_status()) {
      return InPhase(row.phase, std::string(row.reason));
    }
  }
  if (status.job_deployment_status() == "Failed") {
    return FailedJobPhase(job, error_file, settings.rules);
  }
  return absl::UnknownError(absl::StrCat("unknown job deployment status: ",
                                         status.job_deployment_status()));
}

}  // namespace mulligan::flyte
