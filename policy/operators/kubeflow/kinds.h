// The six kinds of training-operator v1 and how they differ.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_KINDS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_KINDS_H_

#include <string>
#include <string_view>

#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

enum class Framework { kPyTorch, kTensorFlow, kMpi, kXgBoost, kPaddle, kJax };

struct Kind {
  Framework framework;
  // "PyTorchJob": also the start of every reason.
  std::string_view name;
  // Container whose exit code counts.
  std::string_view container;
  // Restart policy of a replica that has none.
  std::string_view restart_policy;
  // The map of replicas in the spec, and its JSON name.
  const google::protobuf::Map<std::string, ReplicaSpec>& (
      TrainingJobSpec::*replicas)() const;
  std::string_view replicas_field;
};

// The kind `job` says it is, else the one whose replicas are filled; null when
// neither tells.
const Kind* KindOf(const TrainingJob& job);

// The kind called `name`, or null.
const Kind* FindKind(std::string_view name);

// "PyTorchJob" and "Failed" make "PyTorchJobFailed".
std::string Reason(const Kind& kind, std::string_view what);

// The replicas with what the operator fills in: one replica, none of an
// MPIJob's workers, and the kind's restart policy.
Replicas ReplicasOf(const TrainingJob& job, const Kind& kind);

// Whether a TFJob has a replica that decides for all: "Chief" or "Master".
bool HasChief(const Replicas& replicas);

// Sum of the replicas of all types; saturates.
std::int32_t TotalReplicas(const Replicas& replicas);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_KINDS_H_
