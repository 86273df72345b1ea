// The status the RayCluster controller writes.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_STATUS_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "mulligan/kubernetes/meta/v1/condition.pb.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

using Condition = kubernetes::meta::v1::Condition;

inline constexpr std::string_view kProvisioned = "RayClusterProvisioned";
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

// Condition RayClusterProvisioned. Once True it stays: it says that the cluster
// was up, not that it is.
Condition ProvisionedCondition(const Condition* before, bool all_pods_ready);

// What the controller failed at. `call` is "delete" or "create", `node`
// "head" or "worker"; "delete" without a node is the deletion of all pods.
struct PodCallError {
  std::string_view call;
  std::string_view node;
};

// Reason of the condition ReplicaFailure ("FailedCreateWorkerPod" ...); nothing
// for what is no such call.
std::optional<std::string> ReplicaFailureReason(const PodCallError& error);
// "Failed to create worker Pod namespace/name, error".
std::string PodCallMessage(const PodCallError& error, std::string_view pod,
                           std::string_view why);

// status.state after a pass: ready when the pass had no error and all pods run,
// else as it was.
std::string ClusterState(const std::string& before, bool has_error,
                         bool all_pods_ready);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_STATUS_H_
