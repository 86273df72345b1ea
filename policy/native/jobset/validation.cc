// Validation by JobSet's API schema and webhook, for the handling of failures.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/limits.h"
#include "policy/native/jobset/failure_policy.h"
#include "policy/native/jobset/objects.h"

namespace mulligan::jobset {
namespace {

constexpr std::size_t kMinNameLength = 1;
constexpr std::size_t kMaxNameLength = 128;

constexpr char kPolicy[] = "spec.failurePolicy";
constexpr char kRules[] = "spec.failurePolicy.rules";

constexpr std::array<std::string_view, 5> kReasons = {
    "BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes",
    "MaxFailedIndexesExceeded", "PodFailurePolicy"};
constexpr std::array<std::string_view, 3> kStrategies = {
    "Recreate", "BlockingRecreate", "InPlaceRestart"};

// Accepts an absent name, which the webhook sets. An empty name also breaks the
// pattern, but its length error suffices.
void CheckName(const FailurePolicyRule& rule, const std::string& path,
               FieldErrors& errors) {
  static const RE2& pattern =
      *new RE2("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");
  if (!rule.has_name()) return;
  const std::string field = path + ".name";
  const std::size_t length = rule.name().size();
  if (length < kMinNameLength || length > kMaxNameLength) {
    errors.Invalid(
        field, "",
        absl::StrFormat(
            "invalid failure policy rule name of length %d, the rule name must "
            "be at least %d characters long and at most %d characters long",
            length, kMinNameLength, kMaxNameLength));
  }
  if (length > 0 && !RE2::FullMatch(rule.name(), pattern)) {
    errors.Invalid(
        field, "",
        absl::StrFormat(
            "invalid failure policy rule name '%s', a failure policy rule name "
            "must start with an alphabetic character, optionally followed by a "
            "string of alphanumeric characters or '_,:', and must end with an "
            "alphanumeric character or '_'",
            rule.name()));
  }
}

void CheckNamesUnique(const FailurePolicy& policy, FieldErrors& errors) {
  std::map<std::string, std::vector<int>> rules_by_name;
  for (int i = 0; i < policy.rules_size(); ++i) {
    if (policy.rules(i).has_name()) {
      rules_by_name[policy.rules(i).name()].push_back(i);
    }
  }
  for (const auto& [name, rules] : rules_by_name) {
    if (rules.size() < 2) continue;
    errors.Invalid(kRules, "",
                   absl::StrFormat("rule names are not unique, rules with "
                                   "indices [%s] all have the same name '%s'",
                                   absl::StrJoin(rules, " "), name));
  }
}

void CheckRule(const FailurePolicyRule& rule, const std::string& path,
               MessagePatterns& patterns, ObjectIssues& issues) {
  CheckName(rule, path, issues.errors);
  for (int i = 0; i < rule.on_job_failure_reasons_size(); ++i) {
    const std::string& reason = rule.on_job_failure_reasons(i);
    if (HasText(kReasons, reason)) continue;
    issues.errors.Invalid(
        IndexField(path + ".onJobFailureReasons", i), "",
        absl::StrFormat("invalid job failure reason '%s' in failure policy is "
                        "not a recognized job failure reason",
                        reason));
  }
  std::string error;
  for (int i = 0; i < rule.on_job_failure_message_patterns_size(); ++i) {
    const std::string& pattern = rule.on_job_failure_message_patterns(i);
    if (patterns.Compile(pattern, error) != nullptr) continue;
    issues.warnings.push_back(absl::StrFormat(
        "%s.onJobFailureMessagePatterns[%d]: '%s' %s; it is never found", path,
        i, pattern.substr(0, kMaxPatternBytes), error));
  }
  if (!rule.action().empty() && !IsKnownAction(rule.action())) {
    issues.warnings.push_back(absl::StrFormat(
        "%s.action: '%s' is no action of JobSet 0.12: the controller is stuck "
        "after a failure that matches this rule",
        path, rule.action()));
  }
}

bool HasJobAction(const FailurePolicy& policy) {
  return std::ranges::any_of(policy.rules(), [](const FailurePolicyRule& rule) {
    return IsJobAction(rule.action());
  });
}

void CheckStrategy(const FailurePolicy& policy, const Gates& gates,
                   ObjectIssues& issues) {
  const std::string& strategy = policy.restart_strategy();
  const std::string field = absl::StrCat(kPolicy, ".restartStrategy");
  if (strategy == "InPlaceRestart" && !gates.in_place_restart) {
    issues.errors.Invalid(field, "",
                          "InPlaceRestart restart strategy cannot be set when "
                          "InPlaceRestart feature gate is disabled");
  } else if (!strategy.empty() && !HasText(kStrategies, strategy)) {
    issues.warnings.push_back(absl::StrFormat(
        "%s: '%s' is no strategy of JobSet 0.12; it is taken for Recreate",
        field, strategy));
  }
}

// `path` is that of the list of targets, `owner` the one in the message.
void CheckTargets(
    const google::protobuf::RepeatedPtrField<std::string>& targets,
    const std::string& path, std::string_view owner, const JobSetSpec& spec,
    FieldErrors& errors) {
  for (int i = 0; i < targets.size(); ++i) {
    if (FindNamed(spec.replicated_jobs(), targets.Get(i)) != nullptr) continue;
    errors.Invalid(IndexField(path, i), "",
                   absl::StrFormat("invalid replicatedJob name '%s'%s does not "
                                   "appear in .spec.ReplicatedJobs",
                                   targets.Get(i), owner));
  }
}

}  // namespace

ObjectIssues FailurePolicyIssues(const FailurePolicy& policy,
                                 const Gates& gates,
                                 PatternAllowance& allowance) {
  ObjectIssues issues;
  CheckStrategy(policy, gates, issues);
  if (policy.max_restarts() < 0) {
    issues.warnings.push_back(absl::StrFormat("%s.maxRestarts: %d acts like 0",
                                              kPolicy, policy.max_restarts()));
  }
  if (HasJobAction(policy) && !gates.restart_job) {
    issues.errors.Invalid(
        kRules, "",
        "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions "
        "are not allowed when RestartJob feature gate is disabled");
    return issues;
  }
  MessagePatterns patterns(allowance);
  for (int i = 0; i < policy.rules_size(); ++i) {
    CheckRule(policy.rules(i), IndexField(kRules, i), patterns, issues);
  }
  CheckNamesUnique(policy, issues.errors);
  return issues;
}

ObjectIssues ValidateJobSetSpec(const JobSetSpec& spec, const Gates& gates,
                                PatternAllowance& allowance) {
  ObjectIssues issues;
  FieldErrors& errors = issues.errors;
  CheckTargets(spec.success_policy().target_replicated_jobs(),
               "spec.successPolicy.targetReplicatedJobs", "", spec, errors);
  if (!spec.has_failure_policy()) return issues;
  const FailurePolicy& policy = spec.failure_policy();
  ObjectIssues own = FailurePolicyIssues(policy, gates, allowance);
  errors.insert(errors.end(), own.errors.begin(), own.errors.end());
  issues.warnings = std::move(own.warnings);
  if (HasJobAction(policy) && !gates.restart_job) return issues;
  for (int i = 0; i < policy.rules_size(); ++i) {
    CheckTargets(policy.rules(i).target_replicated_jobs(),
                 IndexField(kRules, i) + ".targetReplicatedJobs",
                 " in failure policy", spec, errors);
  }
  return issues;
}

}  // namespace mulligan::jobset
