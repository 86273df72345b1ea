// spec of a JobSet.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/native/import/import.h"
#include "policy/native/jobset/objects.h"

namespace mulligan {
namespace jobset {
namespace {

constexpr char kMaxRestarts[] = "max-restarts";

struct ActionRow {
  std::string_view name;
  v1::Decision::Action action;
  v1::Decision::Scope scope;
  bool counted;
};
constexpr ActionRow kActions[] = {
    {"FailJobSet", v1::Decision::FAIL, v1::Decision::JOB_SET, false},
    {"RestartJobSet", v1::Decision::RETRY, v1::Decision::JOB_SET, true},
    {"RestartJobSetAndIgnoreMaxRestarts", v1::Decision::RETRY,
     v1::Decision::JOB_SET, false},
    {"RestartJob", v1::Decision::RETRY, v1::Decision::JOB, true},
    {"RestartJobAndIgnoreMaxRestarts", v1::Decision::RETRY, v1::Decision::JOB,
     false},
};

bool OutcomeOf(const std::string& action, const std::string& path,
               v1::Outcome& outcome, Import& into, IssueReporter& report) {
  for (const ActionRow& row : kActions) {
    if (row.name != action) continue;
    if (row.action == v1::Decision::FAIL) {
      outcome = FailOutcome(row.scope);
      return true;
    }
    outcome =
        RetryOutcome(row.scope, row.counted ? kMaxRestarts : kUncountedBudget);
    if (!row.counted) {
      AddUnboundedBudget(kUncountedBudget, v1::Decision::JOB_SET,
                         path + ".action", "JobSet restarts without counting",
                         into, report);
    }
    return true;
  }
  return false;  // reported by the validation
}

// Adds the condition of a child Job that failed for one of the given reasons.
void AddConditions(const FailurePolicyRule& from, v1::When& when) {
  const auto add = [&when](const std::string& reason) {
    v1::ConditionPattern& condition = *when.add_conditions();
    condition.set_type("Failed");
    condition.set_status("True");
    condition.set_reason(reason);
  };
  for (const std::string& reason : from.on_job_failure_reasons()) add(reason);
  if (from.on_job_failure_reasons().empty()) add("");
}

void ImportRule(const FailurePolicyRule& from, int index,
                const std::string& path, Import& into, IssueReporter& report) {
  if (!from.target_replicated_jobs().empty()) {
    return NotCarriedOver(
        path + ".targetReplicatedJobs",
        "rules do not distinguish the groups of a JobSet, so this rule is left "
        "out; policy native answers it from the JobSet's own spec",
        report);
  }
  v1::Rule rule;
  // The name that the webhook gives.
  rule.set_name(from.name().empty()
                    ? absl::StrFormat("failurePolicyRule%d", index)
                    : from.name());
  AddConditions(from, *rule.mutable_when());
  if (!from.on_job_failure_message_patterns().empty()) {
    rule.mutable_when()->set_message_pattern(absl::StrCat(
        "(?:", absl::StrJoin(from.on_job_failure_message_patterns(), ")|(?:"),
        ")"));
  }
  if (OutcomeOf(from.action(), path, *rule.mutable_then(), into, report)) {
    into.rules.push_back({std::move(rule), path});
  }
}

void Refuse(const FailurePolicy& policy, const std::string& path,
            const Pasted& pasted, IssueReporter& report) {
  const ObjectIssues issues = FailurePolicyIssues(
      policy, GatesFor(pasted.semantics).settings, pasted.allowance);
  ReportObjectIssues(issues.errors, issues.warnings, "spec", path, report);
}

}  // namespace
}  // namespace jobset

void ImportJobSet(const Pasted& pasted, const std::string& path, Import& into,
                  IssueReporter& report) {
  using namespace jobset;  // NOLINT(google-build-using-namespace)
  const std::string policy_path = path + ".failurePolicy";
  if (pasted.blocks.job_set().has_success_policy()) {
    NotCarriedOver(path + ".successPolicy",
                   "a policy decides about failures only", report);
  }
  if (!pasted.blocks.job_set().has_failure_policy()) {
    into.fallback = FailOutcome(v1::Decision::JOB_SET);
    into.fallback_path = path;
    return;
  }
  const FailurePolicy& policy = pasted.blocks.job_set().failure_policy();
  Refuse(policy, path, pasted, report);
  if (policy.has_restart_strategy()) {
    NotCarriedOver(policy_path + ".restartStrategy",
                   "how Jobs are created again is up to the controller",
                   report);
  }
  for (int i = 0; i < policy.rules_size(); ++i) {
    ImportRule(policy.rules(i), i,
               absl::StrFormat("%s.rules[%d]", policy_path, i), into, report);
  }
  AddImportedBudget(kMaxRestarts, policy.max_restarts(), v1::Decision::JOB_SET,
                    policy_path + ".maxRestarts", into, report);
  into.fallback = RetryOutcome(v1::Decision::JOB_SET, kMaxRestarts);
  into.fallback_path = policy_path;
}

}  // namespace mulligan
