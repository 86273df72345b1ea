#include "policy/operators/kueue/rayjob.h"

#include <string>

#include "policy/operators/rayjob/types.h"

namespace mulligan::kueue {

RayJobInKueue ReadRayJob(const kubernetes::ray::v1::RayJob& job) {
  const auto& status = job.status();
  const std::string& state = status.job_deployment_status();
  RayJobInKueue read;
  read.finished = rayjob::IsDeploymentTerminal(state);
  read.success = read.finished && status.job_status() == rayjob::kJobSucceeded;
  read.message = status.message();
  read.active = state != rayjob::kNew && state != rayjob::kSuspended;
  read.on_hold = state == rayjob::kValidationFailed;
  read.pods_ready =
      status.ray_cluster_status().state() == rayjob::kClusterReady;
  read.suspended = job.spec().suspend();
  return read;
}

}  // namespace mulligan::kueue
