// What Flyte's plugins make of a pod.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_

#include <string_view>

#include "absl/time/time.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

using Pod = kubernetes::core::v1::Pod;

// pod.DemystifyPodStatus: the phase of a task that is one plain pod.
PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now);

// flytek8s.DemystifyFailedOrPendingPod of v2: what a plugin's pod says if it
// has failed or is pending; Undefined otherwise. `primary` is the container
// whose end is the task's end.
PhaseInfo FailedOrPendingPodPhase(const Pod& pod, std::string_view primary,
                                  const Settings& settings, absl::Time now);

// Annotation that names the primary container. Flyte sets it on pod tasks and
// on pods with one container, but not on raw container tasks. Empty: none.
std::string_view PrimaryContainerOf(
    const kubernetes::meta::v1::ObjectMeta& metadata);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_
