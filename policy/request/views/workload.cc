// Workloads (Kueue 0.15): the queue's view of what it queues.
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
  // Other evictions, of work that was ready, show in how the work ended.
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
