// Workloads (Kueue 0.15): what the queue says of what it queues.
#include "policy/base/conditions.h"
#include "policy/request/kind_names.h"
#include "policy/request/owners.h"
#include "policy/request/views/views.h"

namespace mulligan {

std::optional<WorkloadView> QueueIn(const v1::FailureReport& report) {
  if (!report.has_kueue_workload()) return std::nullopt;
  const auto& workload = report.kueue_workload();
  const auto& conditions = workload.status().conditions();
  WorkloadView view;
  view.kind = FindKind("Workload");
  view.kind_name = "Workload";
  ViewObject(workload, view);
  const bool runs =
      IsTrue(conditions, "Admitted") && IsTrue(conditions, "PodsReady") &&
      !IsTrue(conditions, "Evicted") && !IsTrue(conditions, "Finished");
  // What never became ready is put back. Evictions of what ran say themselves
  // how that came to its end.
  const auto* const evicted = FindCondition(conditions, "Evicted", "True");
  const bool put_back =
      evicted != nullptr && evicted->reason() == "PodsReadyTimeout";
  view.phase = put_back ? WorkloadPhase::kRestarts
               : runs   ? WorkloadPhase::kRuns
                        : WorkloadPhase::kSilent;
  view.queue = workload.spec().queue_name();
  view.counts = {
      {"requeueState.count", workload.status().requeue_state().count()}};
  return view;
}

}  // namespace mulligan
