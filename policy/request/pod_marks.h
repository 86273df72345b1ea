// What others have written on a pod about its end.
#ifndef MULLIGAN_POLICY_REQUEST_POD_MARKS_H_
#define MULLIGAN_POLICY_REQUEST_POD_MARKS_H_

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/base/conditions.h"

namespace mulligan {

inline bool IsDeleted(const kubernetes::core::v1::Pod& pod) {
  return pod.metadata().deletion_timestamp().seconds() > 0;
}

// Whether somebody has asked for the end of the pod: it is marked for a
// disruption (DisruptionTarget), or deleted.
inline bool IsBeingStopped(const kubernetes::core::v1::Pod& pod) {
  return IsDeleted(pod) ||
         IsTrue(pod.status().conditions(), "DisruptionTarget");
}

// Whether the pod is deleted because its operator gives the work up: it is not
// how the work failed.
inline bool IsStoppedByOwner(bool owner_gives_up,
                             const kubernetes::core::v1::Pod& pod) {
  return owner_gives_up && IsDeleted(pod) &&
         !IsTrue(pod.status().conditions(), "DisruptionTarget");
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_POD_MARKS_H_
