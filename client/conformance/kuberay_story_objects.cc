// The objects the RayJob controller finds in a story.
#include <cstdint>
#include <string>

#include "client/conformance/kuberay_story.h"
#include "policy/native/kuberay_submitter.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {

using kubernetes_job::TimestampOf;

kuberay::RayCluster KubeRayStory::Cluster() const {
  kuberay::RayCluster cluster;
  cluster.mutable_metadata()->set_name(job_.status().ray_cluster_name());
  cluster.mutable_spec()->add_worker_group_specs()->set_suspend(
      ending_.workers_suspended);
  cluster.mutable_status()->set_desired_worker_replicas(kStoryWorkers);
  cluster.mutable_status()->set_max_worker_replicas(max_workers_);
  if (cluster_ready_) {
    cluster.mutable_status()->set_state(std::string(kuberay::kClusterReady));
  }
  return cluster;
}

kuberay::Job KubeRayStory::Submitter() const {
  kuberay::Job job;
  job.mutable_metadata()->set_name(job_.metadata().name());
  if (!submitter_finished_at_.has_value()) return job;
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type(submitter_failed_ ? "Failed" : "Complete");
  condition.set_status("True");
  *condition.mutable_last_transition_time() =
      TimestampOf(*submitter_finished_at_);
  if (submitter_failed_) {
    condition.set_reason("BackoffLimitExceeded");
    condition.set_message("Job has reached the specified backoff limit");
  }
  return job;
}

kuberay::Pod KubeRayStory::Head() const {
  kuberay::Pod pod;
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name(std::string(kuberay::kSubmitterContainerName));
  container.set_restart_count(
      static_cast<std::int32_t>(ending_.container_restarts));
  if (!submitter_finished_at_.has_value()) {
    container.mutable_state()->mutable_running();
    return pod;
  }
  auto& end = *container.mutable_state()->mutable_terminated();
  end.set_exit_code(submitter_failed_ ? 1 : 0);
  end.set_reason(submitter_failed_ ? "Error" : "Completed");
  *end.mutable_finished_at() = TimestampOf(*submitter_finished_at_);
  return pod;
}

}  // namespace mulligan::conformance
