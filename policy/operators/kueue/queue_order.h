// The place of a workload in its queue, and whether the queue tries it again.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_QUEUE_ORDER_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_QUEUE_ORDER_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// The time by which workloads of equal priority are sorted: the creation, but
// for the time of eviction after a readiness timeout (when `eviction_timestamp`
// is the strategy) or for a check that retries, while Evicted is True.
absl::Time QueueOrderTime(const Workload& workload, bool eviction_timestamp,
                          const Gates& gates);

// What becomes of a workload the scheduler could not place.
struct SchedulerVerdict {
  // Parked until the cluster changes; otherwise tried in the next round.
  bool inadmissible = false;
  // Goes before all others: it waits for its victims to leave.
  bool sticky = false;
};

// `reason` in Kueue's words: "FailedAfterNomination", "NamespaceMismatch",
// "Generic", "PendingPreemption", "PreemptionFailed", "NoFit",
// "PreemptionNoCandidates". `strict_fifo`: queueingStrategy StrictFIFO, which
// parks only on a namespace that does not match. `flavors_left`: the last try
// did not get to all flavours. Absent: no such reason.
std::optional<SchedulerVerdict> RequeueAfterScheduling(std::string_view reason,
                                                       bool strict_fifo,
                                                       bool flavors_left);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_QUEUE_ORDER_H_
