#include "policy/operators/jobset/validation.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/limits.h"
#include "policy/operators/jobset/actions.h"
#include "policy/operators/jobset/message_patterns.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {
namespace {

constexpr std::size_t kMinNameLength = 1;
constexpr std::size_t kMaxNameLength = 128;
constexpr std::int32_t kMaxReplicasForRestartJob = 1024;

constexpr std::array<std::string_view, 5> kReasons = {
    "BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes",
    "MaxFailedIndexesExceeded", "PodFailurePolicy"};
constexpr std::array<std::string_view, 3> kStrategies = {
    "Recreate", "BlockingRecreate", "InPlaceRestart"};

template <typename List>
bool Has(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

FieldError SpecError(std::string field, std::string message) {
  return InvalidError(std::move(field), "", std::move(message));
}

// Absent names are the webhook's to fill in. An empty one breaks the pattern
// as well; its length says enough.
void CheckName(const FailurePolicyRule& rule, const std::string& path,
               FieldErrors& errors) {
  static const RE2& pattern =
      *new RE2("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");
  if (!rule.has_name()) return;
  const std::string field = ChildField(path, "name");
  const std::size_t length = rule.name().size();
  if (length < kMinNameLength || length > kMaxNameLength) {
    errors.push_back(SpecError(
        field,
        absl::StrFormat("invalid failure policy rule name of length %d, the "
                        "rule name must be at least %d characters long and at "
                        "most %d characters long",
                        length, kMinNameLength, kMaxNameLength)));
  }
  if (length > 0 && !RE2::FullMatch(rule.name(), pattern)) {
    errors.push_back(SpecError(
        field, absl::StrFormat(
                   "invalid failure policy rule name '%s', a failure policy "
                   "rule name must start with an alphabetic character, "
                   "optionally followed by a string of alphanumeric characters "
                   "or '_,:', and must end with an alphanumeric character or "
                   "'_'",
                   rule.name())));
  }
}

void CheckNamesUnique(const FailurePolicy& policy, const std::string& path,
                      FieldErrors& errors) {
  std::map<std::string, std::vector<int>> rules_by_name;
  for (int i = 0; i < policy.rules_size(); ++i) {
    if (policy.rules(i).has_name()) {
      rules_by_name[policy.rules(i).name()].push_back(i);
    }
  }
  for (const auto& [name, rules] : rules_by_name) {
    if (rules.size() < 2) continue;
    errors.push_back(SpecError(
        path, absl::StrFormat("rule names are not unique, rules with indices "
                              "[%s] all have the same name '%s'",
                              absl::StrJoin(rules, " "), name)));
  }
}

void CheckPatterns(const FailurePolicyRule& rule, const std::string& path,
                   MessagePatterns& patterns,
                   std::vector<std::string>& warnings) {
  std::string error;
  for (int i = 0; i < rule.on_job_failure_message_patterns_size(); ++i) {
    const std::string& pattern = rule.on_job_failure_message_patterns(i);
    if (patterns.Compile(pattern, error) != nullptr) continue;
    warnings.push_back(absl::StrFormat(
        "%s: '%s' %s; it is never found",
        IndexField(ChildField(path, "onJobFailureMessagePatterns"), i),
        pattern.substr(0, kMaxPatternBytes), error));
  }
}

void CheckRule(const FailurePolicyRule& rule, const std::string& path,
               MessagePatterns& patterns, JobSetSpecIssues& issues) {
  CheckName(rule, path, issues.errors);
  for (int i = 0; i < rule.on_job_failure_reasons_size(); ++i) {
    const std::string& reason = rule.on_job_failure_reasons(i);
    if (Has(kReasons, reason)) continue;
    issues.errors.push_back(SpecError(
        IndexField(ChildField(path, "onJobFailureReasons"), i),
        absl::StrFormat("invalid job failure reason '%s' in failure policy is "
                        "not a recognized job failure reason",
                        reason)));
  }
  CheckPatterns(rule, path, patterns, issues.warnings);
  if (!rule.action().empty() && !IsKnownAction(rule.action())) {
    issues.warnings.push_back(absl::StrFormat(
        "%s: '%s' is no action of JobSet 0.12: the controller gets no further "
        "at a failure that meets this rule",
        ChildField(path, "action"), rule.action()));
  }
}

bool HasJobAction(const FailurePolicy& policy) {
  return std::any_of(
      policy.rules().begin(), policy.rules().end(),
      [](const FailurePolicyRule& rule) { return IsJobAction(rule.action()); });
}

void CheckStrategy(const FailurePolicy& policy, const std::string& path,
                   const Gates& gates, JobSetSpecIssues& issues) {
  const std::string& strategy = policy.restart_strategy();
  const std::string field = ChildField(path, "restartStrategy");
  if (strategy == "InPlaceRestart" && !gates.in_place_restart) {
    issues.errors.push_back(SpecError(
        field,
        "InPlaceRestart restart strategy cannot be set when InPlaceRestart "
        "feature gate is disabled"));
  } else if (!strategy.empty() && !Has(kStrategies, strategy)) {
    issues.warnings.push_back(absl::StrFormat(
        "%s: '%s' is no strategy of JobSet 0.12; it is taken for Recreate",
        field, strategy));
  }
}

// What agents restarting pods in place rely on.
void CheckInPlaceGroup(const ReplicatedJob& group, const std::string& path,
                       FieldErrors& errors) {
  const auto& job = group.template_().spec();
  const std::string spec = ChildField(path, "template.spec");
  const auto refuse = [&](std::string_view field, std::string value,
                          std::string_view what) {
    errors.push_back(InvalidError(
        ChildField(spec, field), std::move(value),
        absl::StrFormat("replicatedJob %s: %s when in-place restart is enabled",
                        group.name(), what)));
  };
  const auto number = [](bool present, std::int32_t value) {
    return present ? absl::StrFormat("%d", value) : std::string("null");
  };
  if (!job.has_backoff_limit() ||
      job.backoff_limit() != std::numeric_limits<std::int32_t>::max()) {
    refuse("backoffLimit", number(job.has_backoff_limit(), job.backoff_limit()),
           "must be set to 2147483647 (MaxInt32)");
  }
  if (job.pod_replacement_policy() != "Failed") {
    refuse("podReplacementPolicy",
           job.has_pod_replacement_policy()
               ? QuotedValue(job.pod_replacement_policy())
               : "null",
           "must be set to Failed");
  }
  if (!job.has_completions() || !job.has_parallelism() ||
      job.completions() != job.parallelism()) {
    refuse("completions", number(job.has_completions(), job.completions()),
           "completions and parallelism must be set and equal to each other");
  }
}

void CheckTargets(const JobSetSpec& spec, const std::string& path,
                  FieldErrors& errors) {
  for (int i = 0; i < spec.failure_policy().rules_size(); ++i) {
    const auto& targets =
        spec.failure_policy().rules(i).target_replicated_jobs();
    for (int j = 0; j < targets.size(); ++j) {
      if (FindGroup(spec, targets.Get(j)) != nullptr) continue;
      errors.push_back(SpecError(
          IndexField(
              absl::StrFormat("%s.rules[%d].targetReplicatedJobs", path, i), j),
          absl::StrFormat("invalid replicatedJob name '%s' in failure policy "
                          "does not appear in .spec.ReplicatedJobs",
                          targets.Get(j))));
    }
  }
}

void CheckSuccessTargets(const JobSetSpec& spec, FieldErrors& errors) {
  const auto& targets = spec.success_policy().target_replicated_jobs();
  for (int i = 0; i < targets.size(); ++i) {
    if (FindGroup(spec, targets.Get(i)) != nullptr) continue;
    errors.push_back(SpecError(
        IndexField("spec.successPolicy.targetReplicatedJobs", i),
        absl::StrFormat("invalid replicatedJob name '%s' does not appear in "
                        ".spec.ReplicatedJobs",
                        targets.Get(i))));
  }
}

}  // namespace

JobSetSpecIssues FailurePolicyIssues(const FailurePolicy& policy,
                                     std::string_view path, const Gates& gates,
                                     PatternAllowance& allowance) {
  JobSetSpecIssues issues;
  const std::string root(path);
  CheckStrategy(policy, root, gates, issues);
  if (policy.max_restarts() < 0) {
    issues.warnings.push_back(absl::StrFormat("%s: %d acts like 0",
                                              ChildField(path, "maxRestarts"),
                                              policy.max_restarts()));
  }
  if (HasJobAction(policy) && !gates.restart_job) {
    issues.errors.push_back(SpecError(
        ChildField(path, "rules"),
        "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions "
        "are not allowed when RestartJob feature gate is disabled"));
    return issues;
  }
  MessagePatterns patterns(allowance);
  for (int i = 0; i < policy.rules_size(); ++i) {
    CheckRule(policy.rules(i), IndexField(ChildField(path, "rules"), i),
              patterns, issues);
  }
  CheckNamesUnique(policy, ChildField(path, "rules"), issues.errors);
  return issues;
}

JobSetSpecIssues ValidateJobSetSpec(const JobSetSpec& spec, const Gates& gates,
                                    PatternAllowance& allowance) {
  const std::string path = "spec.failurePolicy";
  FieldErrors success;
  CheckSuccessTargets(spec, success);
  if (!spec.has_failure_policy()) return {std::move(success), {}};
  const FailurePolicy& policy = spec.failure_policy();
  JobSetSpecIssues issues = FailurePolicyIssues(policy, path, gates, allowance);
  issues.errors.insert(issues.errors.begin(), success.begin(), success.end());
  const bool has_job_action = HasJobAction(policy);
  if (!has_job_action || gates.restart_job) {
    CheckTargets(spec, path, issues.errors);
  }
  const bool too_many =
      std::any_of(spec.replicated_jobs().begin(), spec.replicated_jobs().end(),
                  [](const ReplicatedJob& group) {
                    return group.replicas() > kMaxReplicasForRestartJob;
                  });
  if (has_job_action && gates.restart_job && too_many) {
    issues.errors.push_back(SpecError(
        ChildField(path, "rules"),
        absl::StrFormat("JobSet cannot have a failure policy rule with "
                        "RestartJob or RestartJobAndIgnoreMaxRestarts action "
                        "and a replicated job with replicas > %d",
                        kMaxReplicasForRestartJob)));
  }
  if (gates.in_place_restart && policy.restart_strategy() == "InPlaceRestart") {
    for (int i = 0; i < spec.replicated_jobs_size(); ++i) {
      CheckInPlaceGroup(spec.replicated_jobs(i),
                        IndexField("spec.replicatedJobs", i), issues.errors);
    }
  }
  return issues;
}

}  // namespace mulligan::jobset
