#include "policy/operators/kubeflow/validation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::kubeflow {
namespace {

struct TypesRow {
  Framework framework;
  std::vector<std::string_view> types;
  // Of which there must be exactly one; empty: none.
  std::string_view single;
};

const TypesRow& TypesOf(Framework framework) {
  static const auto& rows = *new std::vector<TypesRow>{
      {Framework::kPyTorch, {"Master", "Worker"}, "Master"},
      {Framework::kTensorFlow,
       {"Chief", "Evaluator", "Master", "PS", "Worker"},
       ""},
      {Framework::kMpi, {"Launcher", "Worker"}, "Launcher"},
      {Framework::kXgBoost, {"Master", "Worker"}, "Master"},
      {Framework::kPaddle, {"Master", "Worker"}, ""},
      {Framework::kJax, {"Worker"}, ""},
  };
  return *std::find_if(rows.begin(), rows.end(), [&](const TypesRow& row) {
    return row.framework == framework;
  });
}

void CheckContainer(const ReplicaSpec& spec, const Kind& kind,
                    const std::string& path, FieldErrors& errors) {
  // MPI has no name that counts.
  if (kind.framework == Framework::kMpi) return;
  const auto& containers = spec.template_().spec().containers();
  const bool named = std::any_of(containers.begin(), containers.end(),
                                 [&](const auto& container) {
                                   return container.name() == kind.container;
                                 });
  if (containers.empty() || named) return;
  errors.push_back(RequiredError(
      ChildField(path, "template.spec.containers"),
      absl::StrFormat("must have at least one container with name %s",
                      kind.container)));
}

void CheckPolicy(const ReplicaSpec& spec, const std::string& path,
                 std::vector<std::string>& warnings) {
  const std::string& policy = spec.restart_policy();
  if (policy.empty() || policy == kAlways || policy == kOnFailure ||
      policy == kNever || policy == kExitCode) {
    return;
  }
  warnings.push_back(absl::StrFormat(
      "%s: '%s' is no restart policy of training-operator 1.9; it acts like "
      "Never",
      ChildField(path, "restartPolicy"), policy));
}

void CheckLimits(const RunPolicy& policy, std::vector<std::string>& warnings) {
  if (policy.backoff_limit() < 0) {
    warnings.push_back(absl::StrFormat(
        "spec.runPolicy.backoffLimit: %d is reached before any restart: the "
        "job fails in the first pass",
        policy.backoff_limit()));
  }
  if (policy.has_active_deadline_seconds() &&
      policy.active_deadline_seconds() <= 0) {
    warnings.push_back(absl::StrFormat(
        "spec.runPolicy.activeDeadlineSeconds: %d is over when the job starts",
        policy.active_deadline_seconds()));
  }
}

}  // namespace

TrainingJobIssues ValidateTrainingJob(const TrainingJob& job,
                                      const Kind& kind) {
  TrainingJobIssues issues;
  CheckLimits(job.spec().run_policy(), issues.warnings);
  const std::string root = ChildField("spec", kind.replicas_field);
  const TypesRow& row = TypesOf(kind.framework);
  // In the order of names: the map has none.
  for (const auto& [type, spec] : ReplicasOf(job, kind)) {
    const std::string path = absl::StrCat(root, "[", type, "]");
    if (std::find(row.types.begin(), row.types.end(), type) ==
        row.types.end()) {
      issues.errors.push_back(NotSupportedError(path, type, row.types));
    } else if (type == row.single && spec.replicas() != 1) {
      issues.errors.push_back(
          ForbiddenError(ChildField(path, "replicas"), "must be 1"));
    }
    CheckContainer(spec, kind, path, issues.errors);
    CheckPolicy(spec, path, issues.warnings);
  }
  return issues;
}

}  // namespace mulligan::kubeflow
