#include "policy/native/kueue_rayjob.h"

#include <string>

#include "policy/native/kuberay_types.h"

namespace mulligan::kueue {

RayJobInKueue ReadRayJob(const kubernetes::ray::v1::RayJob& job) {
  const auto& status = job.status();
  const std::string& state = status.job_deployment_status();
  RayJobInKueue read;
  read.finished = kuberay::IsDeploymentTerminal(state);
  read.success = read.finished && status.job_status() == kuberay::kJobSucceeded;
  read.message = status.message();
  read.active = state != kuberay::kNew && state != kuberay::kSuspended;
  read.on_hold = state == kuberay::kValidationFailed;
  read.pods_ready =
      status.ray_cluster_status().state() == kuberay::kClusterReady;
  read.suspended = job.spec().suspend();
  return read;
}

}  // namespace mulligan::kueue
