// In-place restart (alpha): agents in the pods restart them, the controller
// only says which attempt may run, and when there were too many.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_IN_PLACE_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_IN_PLACE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

using Attempts = std::vector<std::int32_t>;

bool IsInPlace(const JobSetSpec& spec);

// Highest restart count of any main or init container; 0: no containers.
std::int32_t MaxRestartCount(const Pods& pods);

// What the agents of the pods that are not Failed wrote; pods without an
// annotation are passed over. INVALID_ARGUMENT for one that is no number or
// negative.
absl::StatusOr<Attempts> InPlaceAttempts(const Pods& pods);

// Whether the highest attempt, without the restarts of the JobSet that did not
// count, is above maxRestarts.
bool ExceedsMaxRestarts(const JobSetSpec& spec, const JobSetStatus& status,
                        const Attempts& attempts);

// Pods the JobSet has when complete. FAILED_PRECONDITION when completions and
// parallelism of a group are not set and equal.
absl::StatusOr<std::int64_t> ExpectedPods(const JobSetSpec& spec);

// False when there are none.
bool AreEqual(const Attempts& attempts);

// Opens the barrier: all pods are at attempts[0]. False: it was open already.
bool UpdateCurrentAttempt(const Attempts& attempts, JobSetStatus& status);

// Sends attempts below the highest one back to start. False: nothing to send.
bool UpdatePreviousAttempt(const Attempts& attempts, JobSetStatus& status);

// One pass for a JobSet with that strategy. On error nothing has changed.
absl::Status ReconcileInPlace(const JobSetSpec& spec, const Pods& pods,
                              StatusChange& change);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_IN_PLACE_H_
