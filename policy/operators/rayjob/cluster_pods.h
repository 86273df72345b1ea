// What the RayCluster controller does about broken pods. It has neither limit
// nor delay, and backoffLimit is not consulted: a pod that can never start is
// replaced until a deadline of the RayJob passes.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_PODS_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_PODS_H_

#include <string_view>

#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// Label and values that tell a cluster's head from its workers.
inline constexpr std::string_view kNodeTypeLabel = "ray.io/node-type";
inline constexpr std::string_view kHeadNode = "head";
// The Ray container is the first of the pod.
inline constexpr int kRayContainerIndex = 0;

// Whether the controller deletes the pod so that a new one takes its place:
// Failed and Succeeded always, whatever the restartPolicy; Running with a Ray
// container that ended under restartPolicy Never. All else is the kubelet's.
bool ShouldDeletePod(const Pod& pod);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_PODS_H_
