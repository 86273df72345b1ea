#include "policy/native/rayjob/report.h"

#include <cstdint>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/objects.h"

namespace mulligan::rayjob {
namespace {

// Label that distinguishes a cluster's head from its workers.
constexpr std::string_view kNodeTypeLabel = "ray.io/node-type";
constexpr std::string_view kHeadNode = "head";

bool HasLabel(const Pod& pod, std::string_view key, std::string_view value) {
  const std::string* const found = FindValue(pod.metadata().labels(), key);
  return found != nullptr && *found == value;
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
  return FindValue(pod.metadata().labels(), kNodeTypeLabel) != nullptr ||
         (!cluster.empty() && IsOwnedBy(pod.metadata(), "RayCluster", cluster));
}

void FillTemplate(kubernetes::core::v1::PodTemplateSpec& pod) {
  if (pod.spec().containers().empty()) {
    pod.mutable_spec()->add_containers();
  }
}

// Sets what validation would report missing.
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

constexpr std::int64_t kDefaultSubmitterBackoffLimit = 2;

// Returns whether a restarting submitter has used up its restarts. One that
// just succeeded has not.
bool IsRestartCountExceeded(const ContainerStatus& submitter,
                            const RayJobSpec& spec) {
  const bool ended_well = submitter.state().has_terminated() &&
                          submitter.state().terminated().exit_code() == 0;
  const std::int64_t limit = spec.submitter_config().has_backoff_limit()
                                 ? spec.submitter_config().backoff_limit()
                                 : kDefaultSubmitterBackoffLimit;
  return !ended_well && submitter.restart_count() >= limit;
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
  if (HasPhase(pod, "Failed") || HasPhase(pod, "Succeeded")) return true;
  if (!HasPhase(pod, "Running") || pod.spec().restart_policy() != "Never") {
    return false;
  }
  // The Ray container is the first of the pod.
  const std::string ray = pod.spec().containers().empty()
                              ? std::string()
                              : pod.spec().containers(0).name();
  const auto* const container =
      FindNamed(pod.status().container_statuses(), ray);
  return container != nullptr && container->state().has_terminated();
}

SubmitterState StateOfSubmitterJob(const Job& job) {
  SubmitterState state;
  for (const auto& condition : job.status().conditions()) {
    const bool failed = condition.type() == kFailed;
    if (condition.status() != "True" ||
        (!failed && condition.type() != kComplete)) {
      continue;
    }
    if (failed && !state.failed) {
      state.failed = true;
      state.message =
          absl::StrFormat("Job submission has failed. Reason: %s. Message: %s",
                          condition.reason(), condition.message());
    }
    const auto& ended = condition.last_transition_time();
    if (!state.finished_at.has_value() && !IsZeroTime(ended)) {
      state.finished_at = ended;
    }
  }
  return state;
}

SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings) {
  SubmitterState state;
  const auto* const container =
      FindNamed(head_pod.status().container_statuses(), "ray-job-submitter");
  if (container == nullptr) return state;
  const bool terminated = container->state().has_terminated();
  const auto& end = container->state().terminated();
  if (terminated) state.finished_at = end.finished_at();
  if (settings.sidecar_submitter_restart) {
    state.failed = IsRestartCountExceeded(*container, spec);
    state.message = absl::StrFormat(
        "Ray head pod submitter container %s terminated after exceeding the "
        "maximum restart count",
        container->name());
  } else {
    state.failed = terminated && end.exit_code() != 0;
    state.message = absl::StrFormat(
        "Ray head pod container %s terminated with exit code %d: %s",
        container->name(), end.exit_code(), end.reason());
  }
  return state;
}

}  // namespace mulligan::rayjob
