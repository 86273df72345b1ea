#include "policy/operators/kueue/report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/pod_group.h"
#include "policy/operators/kueue/rayjob.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kGroupWorkload = "kueue.x-k8s.io/is-group-workload";
constexpr std::string_view kGroupTotalCount =
    "kueue.x-k8s.io/pod-group-total-count";

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

std::optional<JobEnd> EndOfPods(const v1::FailureReport& report) {
  PodGroup group;
  for (const Pod& pod : report.pods()) {
    if (Owns("Pod", pod.metadata().name(), report.kueue_workload())) {
      group.pods.push_back(&pod);
    }
  }
  if (IsOwnedBySinglePod(report.kueue_workload())) return EndOf(group);
  group.total_count = TotalCount(report);
  // A part of the group says nothing about its end.
  if (!group.total_count.has_value() ||
      static_cast<std::int64_t>(group.pods.size()) < *group.total_count) {
    return std::nullopt;
  }
  return EndOf(group);
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
  if (HasJobSet(report)) return EndOf(report.job_set());
  if (HasRayJob(report)) {
    const RayJobInKueue job = ReadRayJob(report.ray_job());
    if (!job.finished) return std::nullopt;
    return JobEnd{job.success, job.message};
  }
  if (IsOwnedBy("Pod", report.kueue_workload())) return EndOfPods(report);
  const Job* const job = FindJob(report);
  return job == nullptr ? std::nullopt : EndOf(*job);
}

std::optional<bool> ReportedReadiness(const v1::FailureReport& report) {
  if (HasJobSet(report)) return ArePodsReady(report.job_set());
  if (HasRayJob(report)) return ReadRayJob(report.ray_job()).pods_ready;
  const Job* const job = FindJob(report);
  if (job == nullptr) return std::nullopt;
  return ArePodsReady(*job);
}

}  // namespace mulligan::kueue
