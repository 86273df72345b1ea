#include "policy/operators/kubeflow/validation.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::kubeflow {
namespace {

struct TypeRow {
  Framework framework;
  std::string_view type;
  // There must be exactly one.
  bool single = false;
};

constexpr std::array<TypeRow, 14> kTypes = {{
    {Framework::kPyTorch, "Master", true},
    {Framework::kPyTorch, "Worker"},
    {Framework::kTensorFlow, "Chief"},
    {Framework::kTensorFlow, "Evaluator"},
    {Framework::kTensorFlow, "Master"},
    {Framework::kTensorFlow, "PS"},
    {Framework::kTensorFlow, "Worker"},
    {Framework::kMpi, "Launcher", true},
    {Framework::kMpi, "Worker"},
    {Framework::kXgBoost, "Master", true},
    {Framework::kXgBoost, "Worker"},
    {Framework::kPaddle, "Master"},
    {Framework::kPaddle, "Worker"},
    {Framework::kJax, "Worker"},
}};

const TypeRow* FindType(Framework framework, std::string_view type) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& row) {
        return row.framework == framework && row.type == type;
      });
  return found == kTypes.end() ? nullptr : found;
}

std::vector<std::string_view> TypesOf(Framework framework) {
  std::vector<std::string_view> types;
  for (const TypeRow& row : kTypes) {
    if (row.framework == framework) types.push_back(row.type);
  }
  return types;
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
  // In the order of names: the map has none.
  for (const auto& [type, spec] : ReplicasOf(job, kind)) {
    const std::string path = absl::StrCat(root, "[", type, "]");
    const TypeRow* const row = FindType(kind.framework, type);
    if (row == nullptr) {
      issues.errors.push_back(
          NotSupportedError(path, type, TypesOf(kind.framework)));
    } else if (row->single && spec.replicas() != 1) {
      issues.errors.push_back(
          ForbiddenError(ChildField(path, "replicas"), "must be 1"));
    }
    CheckContainer(spec, kind, path, issues.errors);
    CheckPolicy(spec, path, issues.warnings);
  }
  return issues;
}

}  // namespace mulligan::kubeflow
