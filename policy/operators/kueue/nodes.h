// What failed nodes do to a workload that topology-aware scheduling (TAS)
// placed on them: one is replaced, a second one evicts.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// NotReady for this long is enough when the pods are not looked at.
inline constexpr absl::Duration kNodeFailureDelay = absl::Seconds(30);

// What the report has of the cluster.
struct NodeView {
  const google::protobuf::RepeatedPtrField<Node>& nodes;
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Gates& gates;
  absl::Time now;
};

// Nodes the workload is assigned to by host name, in the order of the
// assignment. Empty without TAS, or without a level of host names.
std::vector<std::string> AssignedNodes(const WorkloadStatus& status);

// Looks at each reported node to which the workload is assigned. The first
// unhealthy one is listed in unhealthyNodes for replacement, a second one
// evicts, one that is healthy again is taken off.
void FollowNodes(const NodeView& view, Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
