// The pod plugin, and the pods behind other plugins.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_

#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

// pod.DemystifyPodStatus: the phase of a task that is one plain pod.
PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now);

// flytek8s.DemystifyFailedOrPendingPod of v2: what the pod called `name` says
// if it has failed or is pending; Undefined otherwise, and without such a pod.
// `container` counts as primary. An empty `pod_namespace` fits all.
PhaseInfo FailedOrPendingPodPhase(const Pods& pods,
                                  std::string_view pod_namespace,
                                  std::string_view name,
                                  std::string_view container,
                                  const Settings& settings, absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_POD_H_
