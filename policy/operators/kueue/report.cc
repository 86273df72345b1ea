#include "policy/operators/kueue/report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::kueue {
namespace {

using RayJob = kubernetes::ray::v1::RayJob;

constexpr std::string_view kGroupWorkload = "kueue.x-k8s.io/is-group-workload";
constexpr std::string_view kGroupTotalCount =
    "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kRetriable = "kueue.x-k8s.io/retriable-in-group";

bool IsOwnedBy(std::string_view kind, const Workload& workload) {
  const auto& owners = workload.metadata().owner_references();
  return std::any_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.kind() == kind; });
}

bool Owns(std::string_view kind, const std::string& name,
          const Workload& workload) {
  const auto& owners = workload.metadata().owner_references();
  return owners.empty() ||
         std::any_of(owners.begin(), owners.end(), [&](const auto& owner) {
           return owner.kind() == kind && owner.name() == name;
         });
}

const Job* FindJob(const v1::FailureReport& report) {
  const Workload& workload = report.kueue_workload();
  const Job* found = nullptr;
  for (const Job& job : report.jobs()) {
    if (!Owns("Job", job.metadata().name(), workload)) continue;
    // Without owners only a single Job is surely the one.
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
    const auto& annotations = pod.metadata().annotations();
    const auto found = annotations.find(std::string(kGroupTotalCount));
    std::int64_t count = 0;
    if (found != annotations.end() && absl::SimpleAtoi(found->second, &count)) {
      return count;
    }
  }
  return std::nullopt;
}

template <typename Conditions>
std::optional<JobEnd> EndBy(const Conditions& conditions,
                            std::string_view success) {
  for (const std::string_view type : {success, std::string_view("Failed")}) {
    for (const auto& condition : conditions) {
      if (condition.type() == type && condition.status() == "True") {
        return JobEnd{type == success, condition.message()};
      }
    }
  }
  return std::nullopt;
}

std::int64_t PodsWanted(const Job& job) {
  const std::int64_t parallelism =
      job.spec().has_parallelism() ? job.spec().parallelism() : 1;
  if (!job.spec().has_completions()) return parallelism;
  return std::min<std::int64_t>(parallelism, job.spec().completions());
}

std::optional<JobEnd> EndOf(const Pod& pod) {
  const bool success = job::HasPhase(pod, "Succeeded");
  if (!success && !job::HasPhase(pod, "Failed")) return std::nullopt;
  return JobEnd{success, pod.status().message()};
}

std::optional<JobEnd> EndOf(const RayJob& ray_job) {
  const auto& status = ray_job.status();
  if (!rayjob::IsDeploymentTerminal(status.job_deployment_status())) {
    return std::nullopt;
  }
  return JobEnd{status.job_status() == rayjob::kJobSucceeded, status.message()};
}

bool IsUnretriable(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find(std::string(kRetriable));
  return found != annotations.end() && found->second == "false";
}

// A group never fails: with enough failures, and one pod that is marked as not
// retriable, it is recorded as succeeded.
std::optional<JobEnd> EndOf(const std::vector<const Pod*>& group,
                            std::int64_t total) {
  const auto count = [&](std::string_view phase) {
    return std::count_if(group.begin(), group.end(), [&](const Pod* pod) {
      return job::HasPhase(*pod, phase);
    });
  };
  const std::int64_t succeeded = count("Succeeded");
  const auto ended = static_cast<std::size_t>(succeeded + count("Failed"));
  const bool unretriable =
      std::any_of(group.begin(), group.end(),
                  [](const Pod* pod) { return IsUnretriable(*pod); });
  if (succeeded != total && (ended < group.size() || !unretriable)) {
    return std::nullopt;
  }
  return JobEnd{true,
                absl::StrFormat("Pods succeeded: %d/%d.", succeeded, total)};
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
  return EndOf(pods, *total);
}

bool ArePodsReady(const Job& job) {
  const auto& uncounted = job.status().uncounted_terminated_pods();
  const std::int64_t done = std::int64_t{job.status().succeeded()} +
                            uncounted.succeeded_size() + job.status().ready();
  return done >= PodsWanted(job);
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
  return metadata.owner_references_size() == 1 && IsOwnedBy("Pod", workload) &&
         metadata.annotations().count(std::string(kGroupWorkload)) == 0;
}

Workload CompleteWorkload(const Workload& reported,
                          std::vector<std::string>& warnings) {
  Workload workload = reported;
  WorkloadStatus& status = *workload.mutable_status();
  if (!IsAdmitted(status) || HasQuotaReservation(status)) return workload;
  if (FindCondition(status.conditions(), kQuotaReserved) != nullptr) {
    warnings.emplace_back(
        "status.conditions: Admitted without QuotaReserved; Kueue does nothing "
        "about such a workload");
    return workload;
  }
  Condition& quota = *status.add_conditions();
  quota.set_type(std::string(kQuotaReserved));
  quota.set_status("True");
  return workload;
}

std::optional<JobEnd> ReportedEnd(const v1::FailureReport& report) {
  if (HasJobSet(report)) {
    return EndBy(report.job_set().status().conditions(), "Completed");
  }
  if (HasRayJob(report)) return EndOf(report.ray_job());
  if (IsOwnedBy("Pod", report.kueue_workload())) return EndOfPods(report);
  const Job* const job = FindJob(report);
  if (job == nullptr) return std::nullopt;
  return EndBy(job->status().conditions(), "Complete");
}

std::optional<bool> ReportedReadiness(const v1::FailureReport& report) {
  if (HasJobSet(report)) return ArePodsReady(report.job_set());
  if (HasRayJob(report)) {
    return report.ray_job().status().ray_cluster_status().state() ==
           rayjob::kClusterReady;
  }
  const Job* const job = FindJob(report);
  if (job == nullptr) return std::nullopt;
  return ArePodsReady(*job);
}

}  // namespace mulligan::kueue
