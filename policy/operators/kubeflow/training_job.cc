#include "policy/operators/kubeflow/training_job.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_ptr_field.h"

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

// Whether a condition that is added leaves no place for the present one.
bool Removes(std::string_view added, std::string_view present) {
  return added == present || (added == kRestarting && present == kRunning) ||
         (added == kRunning && present == kRestarting);
}

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

const JobCondition* FindCondition(const JobStatus& status,
                                  std::string_view type) {
  const auto& conditions = status.conditions();
  const auto found = std::find_if(
      conditions.begin(), conditions.end(),
      [&](const JobCondition& condition) { return condition.type() == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsConditionTrue(const JobStatus& status, std::string_view type) {
  const auto& conditions = status.conditions();
  return std::any_of(
      conditions.begin(), conditions.end(), [&](const JobCondition& condition) {
        return condition.type() == type && condition.status() == "True";
      });
}

bool IsFinished(const JobStatus& status) {
  return IsConditionTrue(status, kSucceeded) ||
         IsConditionTrue(status, kFailed);
}

void SetCondition(std::string_view type, bool value, const std::string& reason,
                  const std::string& message, JobStatus& status) {
  if (IsConditionTrue(status, kFailed)) return;
  const std::string wanted = value ? "True" : "False";
  const JobCondition* const present = FindCondition(status, type);
  if (present != nullptr && present->status() == wanted &&
      present->reason() == reason) {
    return;
  }
  auto& conditions = *status.mutable_conditions();
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                  [&](const JobCondition& condition) {
                                    return Removes(type, condition.type());
                                  }),
                   conditions.end());
  for (JobCondition& condition : conditions) {
    if ((type == kFailed || type == kSucceeded) &&
        condition.type() == kRunning) {
      condition.set_status("False");
    }
  }
  JobCondition& added = *conditions.Add();
  added.set_type(std::string(type));
  added.set_status(wanted);
  added.set_reason(reason);
  added.set_message(message);
}

}  // namespace mulligan::kubeflow
