// Short names for the Kubernetes objects Flyte looks at.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_TYPES_H_

#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan::flyte {

using Pod = kubernetes::core::v1::Pod;
using PodStatus = kubernetes::core::v1::PodStatus;
using PodCondition = kubernetes::core::v1::PodCondition;
using ContainerStatus = kubernetes::core::v1::ContainerStatus;
using Terminated = kubernetes::core::v1::ContainerStateTerminated;

// Not owned, never null.
using Pods = std::vector<const Pod*>;

// Annotation that names the container whose end is the task's end. Flyte sets
// it on pod tasks and on pods with one container, but not on raw container
// tasks.
inline constexpr std::string_view kPrimaryContainerKey =
    "primary_container_name";

inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_TYPES_H_
