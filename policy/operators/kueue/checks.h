// Admission checks, and the time before which a workload is not queued again:
// status.admissionChecks and status.requeueState.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_CHECKS_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_CHECKS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kueue/backoff.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// States of a check.
inline constexpr std::string_view kCheckPending = "Pending";
inline constexpr std::string_view kCheckReady = "Ready";
inline constexpr std::string_view kCheckRetry = "Retry";
inline constexpr std::string_view kCheckRejected = "Rejected";

bool HasCheckIn(std::string_view state, const WorkloadStatus& status);
bool AreAllChecksReady(const WorkloadStatus& status);

// "AdmissionCheck in Retry state: "name" (message)"; sorted by name.
std::string ChecksMessage(std::string_view state, const WorkloadStatus& status);

// All checks to Pending, as an eviction does. Only those in state Retry keep
// their retry count, one higher.
void ResetChecks(absl::Time now, WorkloadStatus& status);

// requeueAt; absent also for the zero time.
std::optional<absl::Time> RequeueAt(const WorkloadStatus& status);

// Moves requeueAt to `until` when that is later.
void DelayRequeue(absl::Time until, WorkloadStatus& status);

// Counts one readiness timeout at `now`: count + 1, and a wait by the new
// count, without jitter.
void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status);

// The time to which checks that retry later move requeueAt: the latest of
// lastTransitionTime + requeueAfterSeconds. Absent: they do not.
std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_CHECKS_H_
