#include "policy/native/kueue/report.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/conditions.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::kueue {
namespace {

using Job = kubernetes::batch::v1::Job;
using JobSet = kubernetes::jobset::v1alpha2::JobSet;
using RayJob = kubernetes::ray::v1::RayJob;

constexpr std::string_view kGroupWorkload = "kueue.x-k8s.io/is-group-workload";
constexpr std::string_view kGroupTotalCount =
    "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kRetriable = "kueue.x-k8s.io/retriable-in-group";

bool HasOwnerOf(std::string_view kind, const Workload& workload) {
  return FindIn(workload.metadata().owner_references(), [&](const auto& owner) {
           return owner.kind() == kind;
         }) != nullptr;
}

bool Owns(std::string_view kind, const std::string& name,
          const Workload& workload) {
  return workload.metadata().owner_references().empty() ||
         IsOwnedBy(workload.metadata(), kind, name);
}

const Job* FindJob(const v1::FailureReport& report) {
  const Workload& workload = report.kueue_workload();
  const Job* found = nullptr;
  for (const Job& job : report.jobs()) {
    if (!Owns("Job", job.metadata().name(), workload)) continue;
    // Without owners, only a single Job is certain.
    if (found != nullptr) return nullptr;
    found = &job;
  }
  return found;
}

bool HasJobSet(const v1::FailureReport& report) {
  return report.has_job_set() &&
         Owns("JobSet", report.job_set().metadata().name(),
              report.kueue_workload());
}

bool HasRayJob(const v1::FailureReport& report) {
  return report.has_ray_job() &&
         Owns("RayJob", report.ray_job().metadata().name(),
              report.kueue_workload());
}

std::optional<std::int64_t> TotalCount(const v1::FailureReport& report) {
  for (const Pod& pod : report.pods()) {
    std::int64_t count = 0;
    if (absl::SimpleAtoi(
            ValueAt(pod.metadata().annotations(), kGroupTotalCount), &count)) {
      return count;
    }
  }
  return std::nullopt;
}

template <typename Conditions>
std::optional<JobEnd> EndBy(const Conditions& conditions,
                            std::string_view success) {
  for (const std::string_view type : {success, std::string_view("Failed")}) {
    if (const auto* end = FindCondition(conditions, type, "True")) {
      return JobEnd{type == success, end->message()};
    }
  }
  return std::nullopt;
}

std::optional<JobEnd> EndOf(const Pod& pod) {
  const bool success = HasPhase(pod, "Succeeded");
  if (!success && !HasPhase(pod, "Failed")) return std::nullopt;
  return JobEnd{success, pod.status().message()};
}

std::optional<JobEnd> EndOf(const RayJob& ray_job) {
  const auto& status = ray_job.status();
  const std::string& state = status.job_deployment_status();
  if (state != rayjob::kComplete && state != rayjob::kFailed) {
    return std::nullopt;
  }
  return JobEnd{status.job_status() == rayjob::kJobSucceeded, status.message()};
}

std::optional<JobEnd> EndOfPods(const v1::FailureReport& report) {
  std::vector<const Pod*> pods;
  for (const Pod& pod : report.pods()) {
    if (Owns("Pod", pod.metadata().name(), report.kueue_workload())) {
      pods.push_back(&pod);
    }
  }
  if (IsOwnedBySinglePod(report.kueue_workload())) {
    return pods.empty() ? std::nullopt : EndOf(*pods.front());
  }
  const std::optional<std::int64_t> total = TotalCount(report);
  // A part of the group says nothing about its end.
  if (!total.has_value() || static_cast<std::int64_t>(pods.size()) < *total) {
    return std::nullopt;
  }
  // A group never fails: with enough failures, and one pod marked as not
  // retriable, it is recorded as succeeded.
  std::int64_t succeeded = 0;
  bool all_ended = true;
  bool unretriable = false;
  for (const Pod* const pod : pods) {
    const std::optional<JobEnd> end = EndOf(*pod);
    all_ended &= end.has_value();
    if (end.has_value() && end->success) ++succeeded;
    unretriable |=
        ValueAt(pod->metadata().annotations(), kRetriable) == "false";
  }
  if (succeeded != *total && !(all_ended && unretriable)) return std::nullopt;
  return JobEnd{true,
                absl::StrFormat("Pods succeeded: %d/%d.", succeeded, *total)};
}

bool ArePodsReady(const Job& job) {
  const auto& spec = job.spec();
  const auto& status = job.status();
  std::int64_t wanted = spec.has_parallelism() ? spec.parallelism() : 1;
  if (spec.has_completions()) {
    wanted = std::min<std::int64_t>(wanted, spec.completions());
  }
  return std::int64_t{status.succeeded()} +
             status.uncounted_terminated_pods().succeeded_size() +
             status.ready() >=
         wanted;
}

bool ArePodsReady(const JobSet& job_set) {
  std::int64_t wanted = 0;
  for (const auto& group : job_set.spec().replicated_jobs()) {
    wanted += group.has_replicas() ? group.replicas() : 1;
  }
  std::int64_t ready = 0;
  for (const auto& group : job_set.status().replicated_jobs_status()) {
    ready += std::int64_t{group.ready()} + group.succeeded();
  }
  return wanted == ready;
}

}  // namespace

bool IsOwnedBySinglePod(const Workload& workload) {
  const auto& metadata = workload.metadata();
  return metadata.owner_references_size() == 1 && HasOwnerOf("Pod", workload) &&
         metadata.annotations().count(std::string(kGroupWorkload)) == 0;
}

Workload CompleteWorkload(const Workload& reported,
                          std::vector<std::string>& warnings) {
  Workload workload = reported;
  WorkloadStatus& status = *workload.mutable_status();
  if (!IsTrue(status.conditions(), kAdmitted) ||
      IsTrue(status.conditions(), kQuotaReserved)) {
    return workload;
  }
  if (FindCondition(status.conditions(), kQuotaReserved) != nullptr) {
    warnings.emplace_back(
        "status.conditions: Admitted without QuotaReserved; Kueue does nothing "
        "about such a workload");
    return workload;
  }
  SetCondition(kQuotaReserved, true, "", "", status);
  return workload;
}

std::optional<JobEnd> ReportedEnd(const v1::FailureReport& report) {
  if (HasJobSet(report)) {
    return EndBy(report.job_set().status().conditions(), "Completed");
  }
  if (HasRayJob(report)) return EndOf(report.ray_job());
  if (HasOwnerOf("Pod", report.kueue_workload())) return EndOfPods(report);
  const Job* const job = FindJob(report);
  if (job == nullptr) return std::nullopt;
  return EndBy(job->status().conditions(), "Complete");
}

bool IsKnownUnready(const v1::FailureReport& report) {
  if (HasJobSet(report)) return !ArePodsReady(report.job_set());
  if (HasRayJob(report)) {
    return report.ray_job().status().ray_cluster_status().state() !=
           rayjob::kClusterReady;
  }
  const Job* const job = FindJob(report);
  return job != nullptr && !ArePodsReady(*job);
}

}  // namespace mulligan::kueue
