// What failed nodes do to a workload that topology-aware scheduling (TAS)
// placed on them: one is replaced, a second one evicts.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/workload.h"

namespace mulligan::kueue {

using Node = kubernetes::core::v1::Node;
using Pod = kubernetes::core::v1::Pod;

// What the report has of the cluster.
struct NodeView {
  const google::protobuf::RepeatedPtrField<Node>& nodes;
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Gates& gates;
  absl::Time now;
};

// Looks at each reported node to which a workload that is not evicted is
// assigned by host name. The first unhealthy one is listed in unhealthyNodes
// for replacement, a second one evicts, one that is healthy again is taken off.
void FollowNodes(const NodeView& view, Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_NODES_H_
