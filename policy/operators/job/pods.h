// What the Job controller reads off a pod.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/job/settings.h"

namespace mulligan::job {

// Finalizer of a pod that is not accounted yet.
inline constexpr std::string_view kJobTrackingFinalizer =
    "batch.kubernetes.io/job-tracking";

bool HasPhase(const Pod& pod, std::string_view phase);
bool HasTrackingFinalizer(const Pod& pod);

// Neither in a terminal phase nor under deletion.
bool IsActive(const Pod& pod);
// Under deletion, not in a terminal phase yet.
bool IsTerminating(const Pod& pod);

// The completion index in the pod's annotation, a decimal, if it is below
// `completions`.
std::optional<std::int64_t> CompletionIndex(const Pod& pod,
                                            std::int64_t completions);

// Counted failures of the index before this pod, by its annotation. Absent,
// unparsable, negative and too large values count as 0.
std::int64_t IndexFailureCount(const Pod& pod);
// Counted and ignored failures together; they lengthen the delay alike.
std::int64_t IndexAbsoluteFailureCount(const Pod& pod);

// When the pod finished, as far as its replacement's delay is concerned. The
// first that exists:
//   1. the latest `finishedAt` of the containers, if all have one; sidecars are
//      looked at too and, as in the controller, on their own when a main
//      container is not finished;
//   2. the last transition of condition Ready when it is False;
//   3. deletionTimestamp - deletionGracePeriodSeconds;
//   4. creationTimestamp, ZeroTime() when absent.
absl::Time FinishTime(const Pod& pod, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_
