#include "policy/operators/trainjob/validation.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/operators/trainjob/objects.h"

namespace mulligan::trainjob {
namespace {

constexpr std::string_view kFluxInstaller = "flux-installer";

constexpr std::array<std::string_view, 5> kImmutable = {
    "runtimeRef", "initializer", "trainer", "managedBy",
    "activeDeadlineSeconds"};

constexpr std::array<std::string_view, 2> kManagers = {
    "trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue"};

struct ReservedRow {
  std::string_view policy;
  std::string_view name;
};

// Variables a runtime sets itself.
constexpr std::array<ReservedRow, 12> kReserved = {{
    {"Torch", "PET_NNODES"},
    {"Torch", "PET_NPROC_PER_NODE"},
    {"Torch", "PET_NODE_RANK"},
    {"Torch", "PET_MASTER_ADDR"},
    {"Torch", "PET_MASTER_PORT"},
    {"Jax", "JAX_NUM_PROCESSES"},
    {"Jax", "JAX_PROCESS_ID"},
    {"Jax", "JAX_COORDINATOR_ADDRESS"},
    {"XGBoost", "DMLC_TRACKER_URI"},
    {"XGBoost", "DMLC_TRACKER_PORT"},
    {"XGBoost", "DMLC_TASK_ID"},
    {"XGBoost", "DMLC_NUM_WORKER"},
}};

bool IsStorageUri(const std::string& uri) {
  static const auto& pattern =
      *new RE2("([A-Za-z][A-Za-z0-9+.-]*://.+|/.*)", RE2::Quiet);
  return uri.empty() || RE2::FullMatch(uri, pattern);
}

std::string RuntimeName(const RuntimeRef& ref) {
  return absl::StrFormat(
      "%s \"%s\"", ref.kind().empty() ? "ClusterTrainingRuntime" : ref.kind(),
      ref.name());
}

void CheckAtLeast(std::string field, std::int64_t value, std::int64_t minimum,
                  FieldErrors& errors) {
  if (value >= minimum) return;
  errors.push_back(InvalidError(
      std::move(field), value,
      absl::StrFormat("should be greater than or equal to %d", minimum)));
}

void CheckRuntime(const Creation& creation, CreationIssues& issues) {
  const RuntimeRef& ref = creation.spec.runtime_ref();
  if (!IsRuntimeSupported(ref)) {
    issues.errors.push_back(ForbiddenError(
        "spec.runtimeRef",
        absl::StrFormat("unsupported runtime: %s", RuntimeKindOf(ref))));
  } else if (!creation.runtime.exists) {
    issues.errors.push_back(InvalidError(
        "spec.runtimeRef", QuotedValue(ref.name()),
        absl::StrFormat("specified %s must be created before the TrainJob is "
                        "created",
                        RuntimeName(ref))));
  } else if (creation.runtime.deprecated) {
    issues.warnings.push_back(
        absl::StrFormat("Referenced %s is deprecated", RuntimeName(ref)));
  }
}

void CheckInitializer(const std::optional<Initializer>& initializer,
                      std::string_view name, bool has_job,
                      FieldErrors& errors) {
  if (!initializer.has_value()) return;
  if (!IsStorageUri(initializer->storage_uri)) {
    errors.push_back(InvalidError(
        absl::StrFormat("spec.initializer.%s.storageUri", name),
        QuotedValue(initializer->storage_uri),
        "must be a URI with a scheme and a path, or an absolute path"));
  }
  if (!has_job) {
    errors.push_back(InvalidError(
        "spec.runtimeRef", std::string(),
        absl::StrFormat("must have container with name - %s-initializer in the "
                        "%s-initializer job",
                        name, name)));
  }
}

void CheckEnvironment(const Creation& creation, FieldErrors& errors) {
  for (const std::string& name : creation.env) {
    const bool reserved = std::any_of(
        kReserved.begin(), kReserved.end(), [&](const ReservedRow& row) {
          return row.policy == creation.runtime.policy && row.name == name;
        });
    if (!reserved) continue;
    errors.push_back(InvalidError(
        "spec.trainer.env", QuotedValue(name),
        "must not have reserved envs, the runtime sets them itself"));
  }
}

void CheckFlux(const Creation& creation, FieldErrors& errors) {
  if (creation.runtime.policy != "Flux") return;
  const auto& names = creation.runtime.init_containers;
  if (std::find(names.begin(), names.end(), kFluxInstaller) == names.end()) {
    return;
  }
  errors.push_back(ForbiddenError(
      "spec.runtimeRef",
      absl::StrFormat("%s is a reserved name of an init container",
                      kFluxInstaller)));
}

}  // namespace

FieldErrors ValidateTrainJobSpec(const TrainJobSpec& spec) {
  FieldErrors errors;
  if (spec.has_active_deadline_seconds()) {
    CheckAtLeast("spec.activeDeadlineSeconds", spec.active_deadline_seconds(),
                 1, errors);
  }
  if (spec.trainer().has_num_nodes()) {
    CheckAtLeast("spec.trainer.numNodes", spec.trainer().num_nodes(), 0,
                 errors);
  }
  if (!spec.managed_by().empty() &&
      std::find(kManagers.begin(), kManagers.end(), spec.managed_by()) ==
          kManagers.end()) {
    errors.push_back(
        InvalidError("spec.managedBy", QuotedValue(spec.managed_by()),
                     absl::StrFormat("ManagedBy must be %s or %s if set",
                                     kManagers[0], kManagers[1])));
  }
  return errors;
}

CreationIssues ValidateCreation(const Creation& creation) {
  CreationIssues issues;
  issues.errors = ValidateTrainJobSpec(creation.spec);
  if (creation.num_proc_per_node.has_value()) {
    CheckAtLeast("spec.trainer.numProcPerNode", *creation.num_proc_per_node, 1,
                 issues.errors);
  }
  CheckRuntime(creation, issues);
  CheckInitializer(creation.dataset, "dataset",
                   creation.runtime.has_dataset_initializer, issues.errors);
  CheckInitializer(creation.model, "model",
                   creation.runtime.has_model_initializer, issues.errors);
  CheckEnvironment(creation, issues.errors);
  CheckFlux(creation, issues.errors);
  return issues;
}

FieldErrors ValidateFieldChanges(const std::vector<std::string>& changed) {
  FieldErrors errors;
  for (const std::string& path : changed) {
    const std::string root = path.substr(0, path.find('.'));
    if (std::find(kImmutable.begin(), kImmutable.end(), root) ==
        kImmutable.end()) {
      continue;
    }
    errors.push_back(InvalidError(ChildField("spec", root), std::string(),
                                  "field is immutable"));
  }
  return errors;
}

FieldErrors ValidateRuntimePatchesChange(bool was_suspended, bool is_suspended,
                                         const JobSetView& job_set) {
  const std::string path = "spec.runtimePatches";
  if (!was_suspended && !is_suspended) {
    return {ForbiddenError(path,
                           "RuntimePatches can only be modified when the "
                           "TrainJob is suspended before or after the update")};
  }
  if (job_set.unreadable) return {ForbiddenError(path, "internal error")};
  FieldErrors errors;
  for (const std::string& group : job_set.active_groups) {
    errors.push_back(ForbiddenError(
        path, absl::StrFormat("RuntimePatches cannot be modified when the "
                              "JobSet's ReplicatedJob %s is still active",
                              group)));
  }
  return errors;
}

}  // namespace mulligan::trainjob
