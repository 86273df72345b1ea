// What the RayCluster controller does about broken pods. It has neither limit
// nor delay, and backoffLimit is not consulted: a pod that can never start is
// replaced until a deadline of the RayJob passes.
#ifndef MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_PODS_H_
#define MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_PODS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/native/kuberay_settings.h"
#include "policy/native/kuberay_types.h"

namespace mulligan::kuberay {

// Label and values that tell a cluster's head from its workers.
inline constexpr std::string_view kNodeTypeLabel = "ray.io/node-type";
inline constexpr std::string_view kHeadNode = "head";
// The Ray container is the first of the pod.
inline constexpr int kRayContainerIndex = 0;

// Whether the controller deletes the pod so that a new one takes its place:
// Failed and Succeeded always, whatever the restartPolicy; Running with a Ray
// container that ended under restartPolicy Never. All else is the kubelet's.
bool ShouldDeletePod(const Pod& pod);

// Workers of one group.
struct WorkerGroup {
  // replicas times hosts per replica.
  std::int64_t expected = 0;
  // Names in spec.scaleStrategy.workersToDelete.
  std::vector<std::string> workers_to_delete = {};
  bool autoscaling = false;
};

// What one pass does to a group, or to the head as a group of one.
struct PodPlan {
  std::vector<std::string> deleted;
  std::int64_t created = 0;
  // The pass ends in an error, to be repeated soon: broken pods are replaced in
  // the next pass only. Empty: it does not.
  std::string error;
};

PodPlan PlanWorkers(const WorkerGroup& group, const std::vector<Pod>& pods,
                    const Settings& settings);

// `provisioned`: the cluster was up once and may not get another head
// (annotation ray.io/disable-provisioned-head-restart, set in SidecarMode).
PodPlan PlanHead(const std::vector<Pod>& heads, bool provisioned_for_good);

}  // namespace mulligan::kuberay

#endif  // MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_PODS_H_
