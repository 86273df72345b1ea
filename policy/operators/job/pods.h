// What the Job controller reads off a pod.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/operators/job/types.h"

namespace mulligan::job {

// Finalizer of a pod that is not accounted yet.
inline constexpr std::string_view kJobTrackingFinalizer =
    "batch.kubernetes.io/job-tracking";
// Annotation with the completion index, a decimal.
inline constexpr std::string_view kCompletionIndexAnnotation =
    "batch.kubernetes.io/job-completion-index";
// Annotation with the counted failures of the index before this pod.
inline constexpr std::string_view kIndexFailureCountAnnotation =
    "batch.kubernetes.io/job-index-failure-count";
// Annotation with the ignored failures of the index before this pod.
inline constexpr std::string_view kIndexIgnoredFailureCountAnnotation =
    "batch.kubernetes.io/job-index-ignored-failure-count";

bool HasPhase(const Pod& pod, std::string_view phase);
bool HasTrackingFinalizer(const Pod& pod);
bool IsBeingDeleted(const Pod& pod);

// Neither in a terminal phase nor under deletion.
bool IsActive(const Pod& pod);
// Under deletion, not in a terminal phase yet.
bool IsTerminating(const Pod& pod);

// Absent: the annotation is missing, no decimal, or negative.
std::optional<std::int64_t> CompletionIndex(const Pod& pod);

// Absent, unparsable, negative and too large values count as 0.
std::int32_t IndexFailureCount(const Pod& pod);
std::int32_t IndexIgnoredFailureCount(const Pod& pod);
// Counted and ignored failures together; they lengthen the delay alike.
std::int64_t IndexAbsoluteFailureCount(const Pod& pod);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_PODS_H_
