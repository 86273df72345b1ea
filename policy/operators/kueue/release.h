// What happens once the job of an evicted workload has stopped: its quota is
// given back and Requeued says whether it may be queued again.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_RELEASE_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_RELEASE_H_

#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Whether a workload evicted for `reason` (of the condition Evicted) is queued
// again at once. `single_pod`: its job is one plain pod, which cannot come
// back.
bool IsRequeuedAtOnce(std::string_view reason, bool single_pod,
                      const Gates& gates);

// The reason with which a Requeued=False of `reason` turns True later; empty:
// never.
std::string_view LaterRequeuedReason(std::string_view reason, bool single_pod,
                                     const Gates& gates);

// Copies Evicted into Requeued and takes quota and admission back. Does nothing
// for a workload that is not evicted, holds no quota or is finished.
bool ReleaseQuota(bool single_pod, const Gates& gates, absl::Time now,
                  WorkloadStatus& status);

// QuotaReserved=False with this reason and message, no admission, Admitted
// accordingly.
bool UnsetQuotaReservation(std::string_view reason, std::string_view message,
                           absl::Time now, WorkloadStatus& status);

// The other direction: quota in `cluster_queue`; Evicted and Preempted turn
// False. Admitted follows when all checks are ready.
void ReserveQuota(std::string_view cluster_queue, absl::Time now,
                  WorkloadStatus& status);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_RELEASE_H_
