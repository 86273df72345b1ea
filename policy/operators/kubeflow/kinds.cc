#include "policy/operators/kubeflow/kinds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace mulligan::kubeflow {
namespace {

using Spec = TrainingJobSpec;

constexpr std::array<Kind, 6> kKinds = {{
    {Framework::kPyTorch, "PyTorchJob", "pytorch", kOnFailure,
     &Spec::pytorch_replica_specs, "pytorchReplicaSpecs"},
    {Framework::kTensorFlow, "TFJob", "tensorflow", kNever,
     &Spec::tf_replica_specs, "tfReplicaSpecs"},
    {Framework::kMpi, "MPIJob", "mpi", kNever, &Spec::mpi_replica_specs,
     "mpiReplicaSpecs"},
    {Framework::kXgBoost, "XGBoostJob", "xgboost", kNever,
     &Spec::xgb_replica_specs, "xgbReplicaSpecs"},
    {Framework::kPaddle, "PaddleJob", "paddle", kOnFailure,
     &Spec::paddle_replica_specs, "paddleReplicaSpecs"},
    {Framework::kJax, "JAXJob", "jax", kNever, &Spec::jax_replica_specs,
     "jaxReplicaSpecs"},
}};

}  // namespace

const Kind* FindKind(std::string_view name) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(),
                   [&](const Kind& kind) { return kind.name == name; });
  return found == kKinds.end() ? nullptr : found;
}

const Kind* KindOf(const TrainingJob& job) {
  if (const Kind* const kind = FindKind(job.kind())) return kind;
  const auto* const found = std::find_if(
      kKinds.begin(), kKinds.end(),
      [&](const Kind& kind) { return !(job.spec().*kind.replicas)().empty(); });
  return found == kKinds.end() ? nullptr : found;
}

std::string Reason(const Kind& kind, std::string_view what) {
  return absl::StrCat(std::string(kind.name), std::string(what));
}

Replicas ReplicasOf(const TrainingJob& job, const Kind& kind) {
  Replicas replicas;
  for (const auto& [type, spec] : (job.spec().*kind.replicas)()) {
    ReplicaSpec& replica = replicas[type];
    replica = spec;
    const bool none = kind.framework == Framework::kMpi && type == "Worker";
    if (!spec.has_replicas()) replica.set_replicas(none ? 0 : 1);
    if (spec.restart_policy().empty()) {
      replica.set_restart_policy(std::string(kind.restart_policy));
    }
  }
  return replicas;
}

bool HasChief(const Replicas& replicas) {
  return replicas.count("Chief") != 0 || replicas.count("Master") != 0;
}

std::int32_t TotalReplicas(const Replicas& replicas) {
  std::int64_t total = 0;
  for (const auto& [type, spec] : replicas) total += spec.replicas();
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(total, -kLimit, kLimit));
}

}  // namespace mulligan::kubeflow
