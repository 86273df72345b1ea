#include "policy/operators/rayjob/report.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan::rayjob {
namespace {

// Label and value that tell a cluster's head from its workers.
constexpr std::string_view kNodeTypeLabel = "ray.io/node-type";
constexpr std::string_view kHeadNode = "head";

bool IsOwnedBy(const kubernetes::meta::v1::ObjectMeta& object,
               std::string_view kind, const std::string& name) {
  return std::any_of(object.owner_references().begin(),
                     object.owner_references().end(), [&](const auto& owner) {
                       return owner.kind() == kind && owner.name() == name;
                     });
}

bool HasLabel(const Pod& pod, std::string_view key, std::string_view value) {
  const auto found = pod.metadata().labels().find(std::string(key));
  return found != pod.metadata().labels().end() && found->second == value;
}

bool IsSubmitter(const Job& job, const RayJob& ray_job) {
  const std::string& name = ray_job.metadata().name();
  return !name.empty() && (job.metadata().name() == name ||
                           IsOwnedBy(job.metadata(), "RayJob", name));
}

bool IsPodOf(const Pod& pod, const Job& job) {
  const std::string& name = job.metadata().name();
  return IsOwnedBy(pod.metadata(), "Job", name) ||
         HasLabel(pod, "batch.kubernetes.io/job-name", name) ||
         HasLabel(pod, "job-name", name);
}

bool IsPodOfCluster(const Pod& pod, const std::string& cluster) {
  const auto& labels = pod.metadata().labels();
  return labels.count(std::string(kNodeTypeLabel)) > 0 ||
         (!cluster.empty() && IsOwnedBy(pod.metadata(), "RayCluster", cluster));
}

void FillTemplate(kubernetes::core::v1::PodTemplateSpec& pod) {
  if (pod.spec().containers().empty()) {
    pod.mutable_spec()->add_containers();
  }
}

// What validation would find missing.
void FillSpec(RayJob& job) {
  if (job.metadata().name().empty()) job.mutable_metadata()->set_name("rayjob");
  RayJobSpec& spec = *job.mutable_spec();
  if (!spec.has_ray_cluster_spec() && !spec.cluster_selector().empty()) return;
  auto& cluster = *spec.mutable_ray_cluster_spec();
  FillTemplate(*cluster.mutable_head_group_spec()->mutable_template_());
  for (auto& group : *cluster.mutable_worker_group_specs()) {
    if (!group.has_template_()) FillTemplate(*group.mutable_template_());
    if (!group.has_min_replicas() && !group.has_max_replicas()) {
      group.set_min_replicas(0);
      group.set_max_replicas(0);
    }
  }
}

void FillStatus(const google::protobuf::Timestamp& now, ReportedRayJob& found) {
  RayJobStatus& status = *found.job.mutable_status();
  const auto clamp = [&](std::string_view name, std::int32_t count) {
    if (count >= 0) return count;
    found.warnings.push_back(
        absl::StrFormat("status.%s: %d is negative; 0 is used", name, count));
    return 0;
  };
  status.set_failed(clamp("failed", status.failed()));
  status.set_succeeded(clamp("succeeded", status.succeeded()));
  const RayJobSpec& spec = found.job.spec();
  const bool has_deadline = spec.has_active_deadline_seconds() ||
                            spec.has_pre_running_deadline_seconds();
  if (status.job_deployment_status() == kNew || status.has_start_time()) return;
  if (has_deadline) {
    found.warnings.emplace_back(
        "status.startTime is missing: the attempt is taken to start now, so "
        "that no deadline has passed");
  }
  *status.mutable_start_time() = now;
}

}  // namespace

ReportedRayJob FindReportedRayJob(const v1::FailureReport& report,
                                  const google::protobuf::Timestamp& now) {
  ReportedRayJob found;
  found.job = report.ray_job();
  FillSpec(found.job);
  FillStatus(now, found);
  std::string cluster = found.job.status().ray_cluster_name();
  if (report.has_ray_cluster()) {
    found.cluster = report.ray_cluster();
    cluster = found.cluster->metadata().name();
  } else if (!cluster.empty()) {
    *found.cluster.emplace().mutable_status() =
        found.job.status().ray_cluster_status();
  }
  for (const Job& job : report.jobs()) {
    if (IsSubmitter(job, report.ray_job())) found.submitter = job;
  }
  for (const Pod& pod : report.pods()) {
    if (found.submitter.has_value() && IsPodOf(pod, *found.submitter)) {
      found.submitter_pods.push_back(&pod);
    } else if (IsPodOfCluster(pod, cluster)) {
      found.cluster_pods.push_back(&pod);
      if (HasLabel(pod, kNodeTypeLabel, kHeadNode)) found.head = &pod;
    }
  }
  return found;
}

v1::FailureReport SubmitterReport(const v1::FailureReport& report,
                                  const ReportedRayJob& found) {
  v1::FailureReport alone;
  *alone.add_jobs() = *found.submitter;
  for (const Pod* pod : found.submitter_pods) *alone.add_pods() = *pod;
  for (const auto& node : report.nodes()) *alone.add_nodes() = node;
  return alone;
}

bool ShouldDeletePod(const Pod& pod) {
  const std::string& phase = pod.status().phase();
  if (phase == "Failed" || phase == "Succeeded") return true;
  if (phase != "Running" || pod.spec().restart_policy() != "Never") {
    return false;
  }
  // The Ray container is the first of the pod.
  const std::string ray = pod.spec().containers().empty()
                              ? std::string()
                              : pod.spec().containers(0).name();
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    if (container.name() == ray) return container.state().has_terminated();
  }
  return false;
}

}  // namespace mulligan::rayjob
