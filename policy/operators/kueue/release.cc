#include "policy/operators/kueue/release.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

struct LaterRow {
  std::string_view reason;
  std::string_view later;
};
constexpr std::array<LaterRow, 4> kLater = {{
    {kPodsReadyTimeout, "BackoffFinished"},
    {kAdmissionCheck, "BackoffFinished"},
    {kClusterQueueStopped, "ClusterQueueRestarted"},
    {kLocalQueueStopped, "LocalQueueRestarted"},
}};

bool IsPreemptionOrNodeFailure(std::string_view reason) {
  return reason == kPreempted || reason == kNodeFailures;
}

void ResetCondition(std::string_view type, absl::Time now,
                    WorkloadStatus& status) {
  const Condition* const before = FindCondition(status.conditions(), type);
  if (before == nullptr || before->status() != "True") return;
  SetCondition(type, false, kQuotaReserved, "Previously: " + before->message(),
               now, *status.mutable_conditions());
}

}  // namespace

bool IsRequeuedAtOnce(std::string_view reason, bool single_pod,
                      const Gates& gates) {
  return IsPreemptionOrNodeFailure(reason) &&
         !(single_pod && gates.skip_pod_owned_workloads);
}

std::string_view LaterRequeuedReason(std::string_view reason, bool single_pod,
                                     const Gates& gates) {
  if (IsRequeuedAtOnce(reason, single_pod, gates)) return "";
  if (reason == kDeactivated ||
      (IsDeactivation(reason) && gates.reactivates_own_deactivations)) {
    return "Reactivated";
  }
  for (const LaterRow& row : kLater) {
    if (row.reason == reason) return row.later;
  }
  return "";
}

bool UnsetQuotaReservation(std::string_view reason, std::string_view message,
                           absl::Time now, WorkloadStatus& status) {
  bool changed = SetCondition(kQuotaReserved, false, reason, message, now,
                              *status.mutable_conditions());
  changed |= status.has_admission();
  status.clear_admission();
  return SyncAdmitted(now, status) || changed;
}

bool ReleaseQuota(bool single_pod, const Gates& gates, absl::Time now,
                  WorkloadStatus& status) {
  if (!IsEvicted(status) || !HasQuotaReservation(status) ||
      IsFinished(status)) {
    return false;
  }
  const Condition evicted = *FindCondition(status.conditions(), kEvicted);
  SetCondition(kRequeued, IsRequeuedAtOnce(evicted.reason(), single_pod, gates),
               evicted.reason(), evicted.message(), now,
               *status.mutable_conditions());
  UnsetQuotaReservation(
      gates.unadmitted_observability ? "PendingEvaluation" : "Pending",
      evicted.message(), now, status);
  return true;
}

void ReserveQuota(std::string_view cluster_queue, absl::Time now,
                  WorkloadStatus& status) {
  status.mutable_admission()->set_cluster_queue(std::string(cluster_queue));
  SetCondition(
      kQuotaReserved, true, kQuotaReserved,
      absl::StrFormat("Quota reserved in ClusterQueue %s", cluster_queue), now,
      *status.mutable_conditions());
  for (const std::string_view type :
       {kEvicted, kPreempted, kBlockedOnPreemptionGates}) {
    ResetCondition(type, now, status);
  }
  SyncAdmitted(now, status);
}

}  // namespace mulligan::kueue
