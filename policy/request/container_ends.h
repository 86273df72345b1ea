// The terminated states of a pod's containers.
#ifndef MULLIGAN_POLICY_REQUEST_CONTAINER_ENDS_H_
#define MULLIGAN_POLICY_REQUEST_CONTAINER_ENDS_H_

#include <type_traits>

#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {

// Calls `visit` with each terminated state, current and last, init containers
// first. `Status` is a PodStatus, const or not.
template <typename Status, typename Visit>
void ForEachEnd(Status& pod, Visit visit) {
  const auto each = [&visit](auto& statuses) {
    for (auto& status : statuses) {
      if constexpr (std::is_const_v<Status>) {
        if (status.state().has_terminated()) visit(status.state().terminated());
        if (status.last_state().has_terminated()) {
          visit(status.last_state().terminated());
        }
      } else {
        if (status.state().has_terminated()) {
          visit(*status.mutable_state()->mutable_terminated());
        }
        if (status.last_state().has_terminated()) {
          visit(*status.mutable_last_state()->mutable_terminated());
        }
      }
    }
  };
  if constexpr (std::is_const_v<Status>) {
    each(pod.init_container_statuses());
    each(pod.container_statuses());
  } else {
    each(*pod.mutable_init_container_statuses());
    each(*pod.mutable_container_statuses());
  }
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_CONTAINER_ENDS_H_
