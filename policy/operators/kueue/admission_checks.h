// Admission checks of a Workload as far as they evict or deactivate it.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_ADMISSION_CHECKS_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_ADMISSION_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// States.
inline constexpr std::string_view kCheckPending = "Pending";
inline constexpr std::string_view kCheckReady = "Ready";
inline constexpr std::string_view kCheckRetry = "Retry";
inline constexpr std::string_view kCheckRejected = "Rejected";

bool HasCheckIn(std::string_view state, const WorkloadStatus& status);
bool AreAllChecksReady(const WorkloadStatus& status);

// "AdmissionChecks in Retry state: "a" (why); "b"", sorted by name.
std::string ChecksMessage(std::string_view state, const WorkloadStatus& status);

// What an eviction does to the checks: back to Pending, with a retry counted
// for those in state Retry and the count dropped for the others; the delay
// stays. Checks that are Pending already keep everything.
void ResetChecks(absl::Time now, WorkloadStatus& status);

// Gives the workload exactly the checks of its queue: new ones are Pending,
// others go. False: nothing changed.
bool SyncChecks(const std::vector<std::string>& wanted, absl::Time now,
                WorkloadStatus& status);

// Sets Admitted from the quota reservation and the checks; the time of an
// admission that ends is added to accumulatedPastExecutionTimeSeconds. Places
// under topology-aware scheduling are taken as assigned. False: nothing
// changed.
bool SyncAdmitted(absl::Time now, WorkloadStatus& status);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_ADMISSION_CHECKS_H_
