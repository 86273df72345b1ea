#include "policy/operators/kueue/queue_order.h"

#include <array>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

absl::Time TransitionOf(const Condition& condition) {
  return ToTime(condition.last_transition_time());
}

struct ReasonRow {
  std::string_view reason;
  // With BestEffortFIFO.
  bool at_once;
  bool sticky;
};
constexpr std::array<ReasonRow, 7> kReasons = {{
    {"FailedAfterNomination", true, false},
    {"NamespaceMismatch", false, false},
    {"Generic", false, false},
    {"PendingPreemption", true, true},
    {"PreemptionFailed", true, false},
    {"NoFit", false, false},
    {"PreemptionNoCandidates", false, false},
}};

}  // namespace

absl::Time QueueOrderTime(const Workload& workload, bool eviction_timestamp,
                          const Gates& gates) {
  const WorkloadStatus& status = workload.status();
  if (eviction_timestamp) {
    if (const auto* const evicted = EvictedFor(kPodsReadyTimeout, status)) {
      return TransitionOf(*evicted);
    }
  }
  if (const auto* const evicted = EvictedFor(kAdmissionCheck, status)) {
    return TransitionOf(*evicted);
  }
  if (!gates.priority_sorting_within_cohort) {
    const auto* const preempted =
        FindCondition(status.conditions(), kPreempted);
    if (preempted != nullptr && preempted->status() == "True" &&
        preempted->reason() == "InCohortReclaimWhileBorrowing") {
      // Strictly behind the preemptor.
      return TransitionOf(*preempted) + absl::Milliseconds(1);
    }
  }
  return ToTime(workload.metadata().creation_timestamp());
}

std::optional<SchedulerVerdict> RequeueAfterScheduling(std::string_view reason,
                                                       bool strict_fifo,
                                                       bool flavors_left) {
  for (const ReasonRow& row : kReasons) {
    if (row.reason != reason) continue;
    const bool at_once =
        strict_fifo ? reason != "NamespaceMismatch" : row.at_once;
    return SchedulerVerdict{!at_once && !flavors_left, row.sticky};
  }
  return std::nullopt;
}

}  // namespace mulligan::kueue
