// spec of a job of training-operator v1.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/native/import/import.h"
#include "policy/native/kubeflow/training_job.h"

namespace mulligan {
namespace kubeflow {
namespace {

constexpr char kBackoffLimit[] = "backoff-limit";
constexpr int kLastExitCode = 255;

// Strictest first. If replica types differ, the strictest applies. The operator
// treats unknown policies as Never.
constexpr std::array<std::string_view, 4> kRestartPolicies = {
    kNever, kExitCode, kOnFailure, kAlways};

std::size_t Rank(std::string_view policy) {
  const auto* const found = std::ranges::find(kRestartPolicies, policy);
  return found == kRestartPolicies.end()
             ? 0
             : static_cast<std::size_t>(found - kRestartPolicies.begin());
}

// Returns the strictest restart policy; reports the policies not applied.
std::string_view StrictestPolicy(const Replicas& replicas,
                                 const std::string& root,
                                 IssueReporter& report) {
  std::size_t strictest = kRestartPolicies.size() - 1;
  for (const auto& [type, spec] : replicas) {
    strictest = std::min(strictest, Rank(spec.restart_policy()));
  }
  for (const auto& [type, spec] : replicas) {
    if (Rank(spec.restart_policy()) == strictest) continue;
    NotCarriedOver(absl::StrFormat("%s[%s].restartPolicy", root, type),
                   absl::StrFormat("rules do not distinguish replica types; "
                                   "the strictest policy, %s, is used",
                                   std::string(kRestartPolicies[strictest])),
                   report);
  }
  return kRestartPolicies[strictest];
}

void WarnOfUnusedFields(const TrainingJobSpec& spec, const std::string& path,
                        IssueReporter& report) {
  WarnOfLeftOut(
      {{spec.run_policy().has_active_deadline_seconds(),
        ".runPolicy.activeDeadlineSeconds",
        "a policy has no deadline; the operator keeps that of the job"},
       {spec.elastic_policy().has_max_restarts(), ".elasticPolicy.maxRestarts",
        "the launcher inside the pods restarts before Mulligan is asked"}},
      path, report);
}

void AddPermanentCodes(const std::string& path, Import& into) {
  v1::Rule rule;
  rule.set_name("exit-code-permanent");
  v1::ExitCodes& codes = *rule.mutable_when()->mutable_exit_codes();
  codes.set_operator_("In");
  for (int code = 1; code <= kLastExitCode; ++code) {
    if (!IsRetryableExitCode(code)) codes.add_values(code);
  }
  *rule.mutable_then() = FailOutcome(v1::Decision::JOB);
  into.rules.push_back({std::move(rule), path});
}

void AddLimit(const TrainingJobSpec& spec, const std::string& path,
              Import& into, IssueReporter& report) {
  if (!spec.run_policy().has_backoff_limit()) {
    AddUnboundedBudget(kBackoffLimit, v1::Decision::JOB, path,
                       "without backoffLimit the operator restarts pods", into,
                       report);
    return;
  }
  // The job fails as soon as the restarts reach the limit.
  const std::int64_t limit = spec.run_policy().backoff_limit();
  AddImportedBudget(kBackoffLimit, std::max<std::int64_t>(limit - 1, 0),
                    v1::Decision::JOB, path + ".runPolicy.backoffLimit", into,
                    report);
}

void ImportSpec(const TrainingJob& job, const Kind& kind,
                const std::string& path, Import& into, IssueReporter& report) {
  const ObjectIssues issues = ValidateTrainingJob(job, kind);
  ReportObjectIssues(issues.errors, issues.warnings, "spec", path, report);
  WarnOfUnusedFields(job.spec(), path, report);
  const std::string root =
      absl::StrFormat("%s.%s", path, std::string(kind.replicas_field));
  const std::string_view policy =
      StrictestPolicy(ReplicasOf(job, kind), root, report);
  if (policy == kNever) return;
  if (policy == kExitCode) AddPermanentCodes(root, into);
  AddLimit(job.spec(), path, into, report);
  into.fallback = RetryOutcome(v1::Decision::POD, kBackoffLimit);
  into.fallback_path = root;
}

}  // namespace
}  // namespace kubeflow

void ImportKubeflowJob(const Pasted& pasted, const std::string& path,
                       Import& into, IssueReporter& report) {
  into.fallback = FailOutcome(v1::Decision::JOB);
  into.fallback_path = path;
  kubeflow::TrainingJob job;
  *job.mutable_spec() = pasted.blocks.kubeflow_job();
  const kubeflow::Kind* const kind = kubeflow::KindOf(job);
  if (kind == nullptr) {
    report.Error(path,
                 "no replicas are given, expected pytorchReplicaSpecs or those "
                 "of another kind: their restartPolicy decides");
    return;
  }
  kubeflow::ImportSpec(job, *kind, path, into, report);
}

}  // namespace mulligan
