// Deletion and disruption marks on a pod.
#ifndef MULLIGAN_POLICY_REQUEST_POD_MARKS_H_
#define MULLIGAN_POLICY_REQUEST_POD_MARKS_H_

#include <algorithm>
#include <cstdint>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/base/conditions.h"

namespace mulligan {

inline bool IsDeleted(const kubernetes::core::v1::Pod& pod) {
  return pod.metadata().deletion_timestamp().seconds() > 0;
}

// Returns whether the pod is deleted or marked for a disruption
// (DisruptionTarget).
inline bool IsBeingStopped(const kubernetes::core::v1::Pod& pod) {
  return IsDeleted(pod) ||
         IsTrue(pod.status().conditions(), "DisruptionTarget");
}

// Returns when deletion was requested, in epoch seconds; 0 if it was not. The
// deletion timestamp itself is the end of the grace period.
inline std::int64_t DeletionRequested(const kubernetes::core::v1::Pod& pod) {
  const auto& metadata = pod.metadata();
  const std::int64_t gone = metadata.deletion_timestamp().seconds();
  if (gone <= 0) return 0;
  return gone - std::clamp<std::int64_t>(
                    metadata.deletion_grace_period_seconds(), 0, gone);
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_POD_MARKS_H_
