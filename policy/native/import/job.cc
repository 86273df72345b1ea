// spec of a batch Job.
#include <limits>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/native/import/import.h"
#include "policy/native/job/objects.h"

namespace mulligan {
namespace job {
namespace {

constexpr char kBackoffLimit[] = "backoff-limit";
// The maximum for an Indexed Job without a smaller limit on failed indexes.
constexpr int kManyCompletions = 100000;

// Returns `spec` with the fields that a pasted block may omit although the API
// server requires them.
JobSpec Completed(JobSpec spec, const Gates& gates) {
  const bool per_index =
      spec.has_backoff_limit_per_index() || spec.has_max_failed_indexes();
  if (per_index && !spec.has_completion_mode()) {
    spec.set_completion_mode("Indexed");
  }
  if (spec.completion_mode() == "Indexed" && !spec.has_completions()) {
    spec.set_completions(kManyCompletions);
  }
  SetJobDefaults(gates, spec);
  return spec;
}

v1::Outcome Count() {
  v1::Outcome outcome = RetryOutcome(v1::Decision::POD, kBackoffLimit);
  v1::Backoff& backoff = *outcome.mutable_backoff();
  backoff.mutable_initial()->set_seconds(10);
  backoff.mutable_max()->set_seconds(600);
  backoff.set_factor(2);
  backoff.set_jitter(0);
  return outcome;
}

bool OutcomeOf(const std::string& action, const std::string& path,
               v1::Outcome& outcome, Import& into, IssueReporter& report) {
  if (action == "Count") {
    outcome = Count();
  } else if (action == "FailJob") {
    outcome = FailOutcome(v1::Decision::JOB);
  } else if (action == "FailIndex") {
    outcome = FailOutcome(v1::Decision::INDEX);
  } else if (action == "Ignore") {
    outcome = Count();
    outcome.set_budget(kUncountedBudget);
    AddUnboundedBudget(kUncountedBudget, v1::Decision::JOB, path + ".action",
                       "Kubernetes ignores failures", into, report);
  } else {
    return false;  // reported by the validation
  }
  return true;
}

void ImportRule(const PodFailurePolicyRule& from, int index,
                const std::string& path, Import& into, IssueReporter& report) {
  v1::Rule rule;
  rule.set_name(absl::StrFormat("pod-failure-policy-%d", index));
  v1::When& when = *rule.mutable_when();
  if (from.has_on_exit_codes()) {
    v1::ExitCodes& codes = *when.mutable_exit_codes();
    codes.set_operator_(from.on_exit_codes().operator_());
    for (const int value : from.on_exit_codes().values()) {
      codes.add_values(value);
    }
    codes.set_container_name(from.on_exit_codes().container_name());
  }
  for (const auto& pattern : from.on_pod_conditions()) {
    v1::ConditionPattern& condition = *when.add_conditions();
    condition.set_type(pattern.type());
    condition.set_status(pattern.has_status() ? pattern.status() : "True");
  }
  if (OutcomeOf(from.action(), path, *rule.mutable_then(), into, report)) {
    into.rules.push_back({std::move(rule), path});
  }
}

void WarnOfUnusedFields(const JobSpec& spec, const std::string& path,
                        IssueReporter& report) {
  constexpr std::string_view kPerIndex =
      "a ledger has no budget per index; policy native answers it from the "
      "Job's own spec";
  WarnOfLeftOut(
      {{spec.has_backoff_limit_per_index(), ".backoffLimitPerIndex", kPerIndex},
       {spec.has_max_failed_indexes(), ".maxFailedIndexes", kPerIndex},
       {spec.has_active_deadline_seconds(), ".activeDeadlineSeconds",
        "a policy has no deadline; that of the reported Job is kept"},
       {spec.has_success_policy(), ".successPolicy",
        "a policy decides about failures only"},
       {spec.has_pod_replacement_policy(), ".podReplacementPolicy",
        "when a pod is replaced is up to who creates it"},
       {spec.template_().spec().restart_policy() == "OnFailure",
        ".template.spec.restartPolicy",
        "with OnFailure the kubelet restarts containers before Mulligan is "
        "asked"}},
      path, report);
}

}  // namespace
}  // namespace job

void ImportJob(const Pasted& all, const std::string& path, Import& into,
               IssueReporter& report) {
  using namespace job;  // NOLINT(google-build-using-namespace)
  const JobSpec& pasted = all.blocks.job();
  const JobSpec spec = Completed(pasted, GatesFor(all.semantics).settings);
  const ObjectIssues issues = ValidateJobSpec(spec);
  ReportObjectIssues(issues.errors, issues.warnings, "spec", path, report);
  WarnOfUnusedFields(pasted, path, report);
  const auto& rules = pasted.pod_failure_policy().rules();
  for (int i = 0; i < rules.size(); ++i) {
    ImportRule(rules[i], i,
               absl::StrFormat("%s.podFailurePolicy.rules[%d]", path, i), into,
               report);
  }
  const std::string limit_path = path + ".backoffLimit";
  if (spec.backoff_limit() == std::numeric_limits<std::int32_t>::max() &&
      !pasted.has_backoff_limit()) {
    AddUnboundedBudget(kBackoffLimit, v1::Decision::JOB, path,
                       "with backoffLimitPerIndex the Job tolerates failures",
                       into, report);
  } else {
    AddImportedBudget(kBackoffLimit, spec.backoff_limit(), v1::Decision::JOB,
                      limit_path, into, report);
  }
  into.fallback = Count();
  into.fallback_path = limit_path;
}

}  // namespace mulligan
