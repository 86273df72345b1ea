// What a failed node does to the workloads that topology-aware scheduling (TAS)
// placed on it: wait, look for one replacement, or evict.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/kueue/eviction.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// NotReady for this long is enough when the pods are not looked at.
inline constexpr absl::Duration kNodeFailureDelay = absl::Seconds(30);

// What is known around one node.
struct NodeView {
  std::string_view name;
  // Null: the node does not exist.
  const Node* node = nullptr;
  // Pods of the workload, on whatever node.
  std::vector<const Pod*> pods;
  // Tolerations of the assigned flavours, which are no part of the workload.
  std::vector<Toleration> flavor_tolerations;
  Gates gates;
  absl::Time now;
};

// Nodes the workload is assigned to by host name, in the order of the
// assignment. Empty without TAS, or without a level of host names.
std::vector<std::string> AssignedNodes(const WorkloadStatus& status);

// Whether the workload has to leave the node.
struct NodeHealth {
  bool healthy = true;
  // Pending pods bound to the node by selector: Kueue sets them to Failed.
  std::vector<std::string> pods_to_terminate;
};
NodeHealth HealthOn(const NodeView& view, const Workload& workload);

struct NodeVerdict {
  // The workload afterwards: its unhealthyNodes, or evicted.
  Workload workload;
  bool evicted = false;
  // When the node is looked at again; 0: not by itself.
  absl::Duration requeue_after;
  std::vector<std::string> pods_failed;
};

// One look at one node. The first unhealthy node is listed in unhealthyNodes
// for replacement, a second one evicts, a node that recovers is taken off.
NodeVerdict ReconcileNode(const NodeView& view, const Workload& workload);

// The scheduler looked for a node in place of the unhealthy ones and found
// none: evicted under TASFailedNodeReplacementFailFast. True: evicted.
bool EvictWithoutReplacement(const Gates& gates, absl::Time now,
                             WorkloadStatus& status);

// Reason and message with which Kueue sets a pod to Failed, under the pod
// condition "TerminatedByKueue".
inline constexpr std::string_view kPodTerminatedReason =
    "UnschedulableOnAssignedNode";
inline constexpr std::string_view kPodTerminatedMessage =
    "Pod terminated by Kueue NodeController due to node taint";

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
