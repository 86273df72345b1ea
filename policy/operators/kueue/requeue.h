// When an evicted workload may be queued again: status.requeueState.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_REQUEUE_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_REQUEUE_H_

#include <optional>

#include "absl/time/time.h"
#include "policy/operators/kueue/backoff.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Moves requeueAt to `wait_until` when that is later; an earlier time changes
// nothing. With `increment_count` the count grows in either case. False:
// nothing changed.
bool SetRequeueState(absl::Time wait_until, bool increment_count,
                     WorkloadStatus& status);

// Counts one readiness timeout at `now`: count + 1, and a wait by the new
// count, without jitter.
void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status);

// requeueAt; absent also for the zero time.
std::optional<absl::Time> RequeueAt(const WorkloadStatus& status);

// Whether the queue takes the workload: Requeued is not False and requeueAt,
// which counts as reached in its own second, is past.
bool BackoffExpired(const WorkloadStatus& status, absl::Time now);

// The latest of lastTransitionTime + requeueAfterSeconds over the checks in
// state Retry. Absent: no check asks for a delay.
std::optional<absl::Time> MaxRetryTime(const WorkloadStatus& status);

// The time to which the checks move requeueAt. Absent: they do not.
std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_REQUEUE_H_
