#include "policy/native/kubeflow/training_job.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::kubeflow {
namespace {

using Spec = TrainingJobSpec;

constexpr std::string_view kRanks[] = {"Master", "Worker"};
constexpr std::string_view kTfTypes[] = {"Chief", "Evaluator", "Master", "PS",
                                         "Worker"};
constexpr std::string_view kMpiTypes[] = {"Launcher", "Worker"};
constexpr std::string_view kJaxTypes[] = {"Worker"};

constexpr std::array<Kind, 6> kKinds = {{
    {Framework::kPyTorch, "PyTorchJob", "pytorch", kOnFailure,
     &Spec::pytorch_replica_specs, "pytorchReplicaSpecs", kRanks, "Master"},
    {Framework::kTensorFlow, "TFJob", "tensorflow", kNever,
     &Spec::tf_replica_specs, "tfReplicaSpecs", kTfTypes, ""},
    {Framework::kMpi, "MPIJob", "mpi", kNever, &Spec::mpi_replica_specs,
     "mpiReplicaSpecs", kMpiTypes, "Launcher"},
    {Framework::kXgBoost, "XGBoostJob", "xgboost", kNever,
     &Spec::xgb_replica_specs, "xgbReplicaSpecs", kRanks, "Master"},
    {Framework::kPaddle, "PaddleJob", "paddle", kOnFailure,
     &Spec::paddle_replica_specs, "paddleReplicaSpecs", kRanks, ""},
    {Framework::kJax, "JAXJob", "jax", kNever, &Spec::jax_replica_specs,
     "jaxReplicaSpecs", kJaxTypes, ""},
}};

// Returns whether adding a condition removes the present one.
bool Removes(std::string_view added, std::string_view present) {
  return added == present || (added == kRestarting && present == kRunning) ||
         (added == kRunning && present == kRestarting);
}

void CheckContainer(const ReplicaSpec& spec, const Kind& kind,
                    const std::string& path, FieldErrors& errors) {
  // For MPI no container name matters.
  if (kind.framework == Framework::kMpi) return;
  const auto& containers = spec.template_().spec().containers();
  if (containers.empty() || FindNamed(containers, kind.container) != nullptr) {
    return;
  }
  errors.Required(
      ChildField(path, "template.spec.containers"),
      absl::StrFormat("must have at least one container with name %s",
                      kind.container));
}

void CheckPolicy(const ReplicaSpec& spec, const std::string& path,
                 std::vector<std::string>& warnings) {
  const std::string& policy = spec.restart_policy();
  if (policy.empty() || policy == kAlways || policy == kOnFailure ||
      policy == kNever || policy == kExitCode) {
    return;
  }
  warnings.push_back(
      absl::StrFormat("%s: '%s' is no restart policy of training-operator 1.9; "
                      "it acts like Never",
                      ChildField(path, "restartPolicy"), policy));
}

void CheckLimits(const RunPolicy& policy, std::vector<std::string>& warnings) {
  if (policy.backoff_limit() < 0) {
    warnings.push_back(
        absl::StrFormat("spec.runPolicy.backoffLimit: %d is reached before any "
                        "restart: the job fails in the first pass",
                        policy.backoff_limit()));
  }
  if (policy.has_active_deadline_seconds() &&
      policy.active_deadline_seconds() <= 0) {
    warnings.push_back(absl::StrFormat(
        "spec.runPolicy.activeDeadlineSeconds: %d is over when the job starts",
        policy.active_deadline_seconds()));
  }
}

// Earlier releases are treated as this one.
constexpr int kOldestMinor = 8;
constexpr int kLatestMinor = 9;

// Parses a whole decimal number without a sign.
std::optional<std::int64_t> NumberIn(std::string_view text) {
  const std::optional<std::int64_t> number = GoInteger(text);
  return number < 0 || text.starts_with('+') ? std::nullopt : number;
}

// "v1" is the last release.
std::optional<int> ReleaseOf(std::string_view version) {
  if (version == "v1" || version == "1") return kLatestMinor;
  return MinorOf(version, 1);
}

}  // namespace

const Kind* FindKind(std::string_view name) {
  return FindIn(kKinds, [&](const Kind& kind) { return kind.name == name; });
}

const Kind* KindOf(const TrainingJob& job) {
  if (const Kind* const kind = FindKind(job.kind())) return kind;
  return FindIn(kKinds, [&](const Kind& kind) {
    return !(job.spec().*kind.replicas)().empty();
  });
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

ObjectIssues ValidateTrainingJob(const TrainingJob& job, const Kind& kind) {
  ObjectIssues issues;
  CheckLimits(job.spec().run_policy(), issues.warnings);
  const std::string root = ChildField("spec", kind.replicas_field);
  // Sorted by name, because the map has no order.
  for (const auto& [type, spec] : ReplicasOf(job, kind)) {
    const std::string path = absl::StrCat(root, "[", type, "]");
    if (!HasText(kind.types, type)) {
      issues.errors.NotSupported(path, type,
                                 {kind.types.begin(), kind.types.end()});
    } else if (type == kind.single && spec.replicas() != 1) {
      issues.errors.Forbidden(ChildField(path, "replicas"), "must be 1");
    }
    CheckContainer(spec, kind, path, issues.errors);
    CheckPolicy(spec, path, issues.warnings);
  }
  return issues;
}

bool HasChief(const Replicas& replicas) {
  return replicas.count("Chief") != 0 || replicas.count("Master") != 0;
}

bool IsFinished(const JobStatus& status) {
  return IsTrue(status.conditions(), kSucceeded) ||
         IsTrue(status.conditions(), kFailed);
}

void SetCondition(std::string_view type, bool value, const std::string& reason,
                  const std::string& message, JobStatus& status) {
  if (IsTrue(status.conditions(), kFailed)) return;
  const std::string wanted = value ? "True" : "False";
  const JobCondition* const present = FindCondition(status.conditions(), type);
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

Setup<Version> VersionFor(const v1::NativeSemantics& semantics) {
  Setup<Version> setup;
  int minor = kLatestMinor;
  if (const auto* const version = FindValue(semantics.versions(), "kubeflow")) {
    const std::optional<int> release = ReleaseOf(*version);
    if (release.has_value()) {
      minor = std::clamp(*release, kOldestMinor, kLatestMinor);
    }
    if (release != minor) {
      setup.warnings.push_back(
          absl::StrFormat("versions.kubeflow: '%s' is no release from 1.%d to "
                          "1.%d; the semantics of 1.%d are used",
                          *version, kOldestMinor, kLatestMinor, minor));
    }
  }
  if (const auto* const requeues =
          FindValue(semantics.settings(), "kubeflow.requeues")) {
    const std::optional<std::int64_t> number = NumberIn(*requeues);
    setup.settings.requeues = number.value_or(0);
    if (!number.has_value()) {
      setup.warnings.push_back(absl::StrFormat(
          "settings.kubeflow.requeues: '%s' is no number from 0 on; 0 is used",
          *requeues));
    }
  }
  setup.settings.managed_by = minor >= 9;
  setup.semantics = absl::StrCat("training-operator 1.", minor);
  return setup;
}

}  // namespace mulligan::kubeflow
