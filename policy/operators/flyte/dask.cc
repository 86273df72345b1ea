#include "policy/operators/flyte/dask.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/flyte/pod.h"

namespace mulligan::flyte {
namespace {

struct StatusRow {
  std::string_view status;
  Phase phase;
  std::string_view reason;
};

constexpr std::array<StatusRow, 4> kStatuses = {{
    {"", Phase::kInitializing, "unknown"},
    {"JobCreated", Phase::kInitializing, "job created"},
    {"ClusterCreated", Phase::kInitializing, "cluster created"},
    {"Successful", Phase::kSuccess, ""},
}};

}  // namespace

PhaseInfo DaskJobPhase(const DaskJob& job, const Pods& pods,
                       const Settings& settings, absl::Time now) {
  if (settings.rules.judges_plugin_pods) {
    const PhaseInfo info = FailedOrPendingPodPhase(pods, job.pod_namespace,
                                                   job.job_runner_pod_name,
                                                   "job-runner", settings, now);
    if (IsFailure(info.phase)) return info;
  }
  for (const StatusRow& row : kStatuses) {
    if (row.status == job.job_status) {
      return InPhase(row.phase, std::string(row.reason));
    }
  }
  if (job.job_status == "Failed") {
    return RetryableFailure(ErrorKind::kUser,
                            std::string(kDownstreamSystemError),
                            "Dask Job failed");
  }
  return InPhase(Phase::kRunning);
}

}  // namespace mulligan::flyte
