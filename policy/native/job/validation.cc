// The API server's validation of the failure handling of Jobs.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/native/job/indexes.h"
#include "policy/native/job/objects.h"
#include "policy/request/pod_failure_rule.h"

namespace mulligan::job {
namespace {

constexpr int kMaxIndexedParallelism = 100000;
constexpr int kMaxFailedIndexes = 100000;
// With more completions, the limits per index are tighter.
constexpr int kManyCompletions = 100000;
constexpr int kMaxParallelismWithMany = 10000;
constexpr int kMaxFailedIndexesWithMany = 10000;

constexpr char kParallelism[] = "spec.parallelism";
constexpr char kCompletions[] = "spec.completions";
constexpr char kPerIndex[] = "spec.backoffLimitPerIndex";
constexpr char kFailedIndexes[] = "spec.maxFailedIndexes";
constexpr char kNeedsIndexed[] = "requires indexed completion mode";

void CheckNumbers(const JobSpec& spec, FieldErrors& errors) {
  // Absent ones are 0.
  const std::array<std::pair<const char*, std::int64_t>, 7> numbers = {{
      {kParallelism, spec.parallelism()},
      {kCompletions, spec.completions()},
      {"spec.activeDeadlineSeconds", spec.active_deadline_seconds()},
      {"spec.backoffLimit", spec.backoff_limit()},
      {"spec.ttlSecondsAfterFinished", spec.ttl_seconds_after_finished()},
      {kPerIndex, spec.backoff_limit_per_index()},
      {kFailedIndexes, spec.max_failed_indexes()},
  }};
  for (const auto& [field, number] : numbers) {
    CheckNonNegative(field, number, errors);
  }
  if (spec.has_max_failed_indexes() && !spec.has_backoff_limit_per_index()) {
    errors.Required(kPerIndex, "when maxFailedIndexes is specified");
  }
}

void CheckIndexed(const JobSpec& spec, FieldErrors& errors) {
  if (!spec.has_completions()) {
    errors.Required(kCompletions, "when completion mode is Indexed");
  }
  CheckAtMost(kParallelism, spec.parallelism(), kMaxIndexedParallelism,
              " when completion mode is Indexed", errors);
  if (spec.has_completions() && spec.has_max_failed_indexes() &&
      spec.max_failed_indexes() > spec.completions()) {
    errors.Invalid(kFailedIndexes, spec.max_failed_indexes(),
                   "must be less than or equal to completions");
  }
  CheckAtMost(kFailedIndexes, spec.max_failed_indexes(), kMaxFailedIndexes, "",
              errors);
  if (spec.completions() <= kManyCompletions ||
      !spec.has_backoff_limit_per_index()) {
    return;
  }
  if (!spec.has_max_failed_indexes()) {
    errors.Required(kFailedIndexes,
                    absl::StrCat("must be specified when completions is above ",
                                 kManyCompletions));
  }
  const std::string when = absl::StrFormat(
      " when completions are above %d and used with backoff limit per index",
      kManyCompletions);
  CheckAtMost(kParallelism, spec.parallelism(), kMaxParallelismWithMany, when,
              errors);
  CheckAtMost(kFailedIndexes, spec.max_failed_indexes(),
              kMaxFailedIndexesWithMany, when, errors);
}

void CheckCompletionMode(const JobSpec& spec, FieldErrors& errors) {
  if (IsIndexed(spec)) return CheckIndexed(spec, errors);
  if (spec.has_completion_mode() && spec.completion_mode() != "NonIndexed") {
    errors.NotSupported("spec.completionMode", spec.completion_mode(),
                        {"NonIndexed", "Indexed"});
    return;
  }
  if (spec.has_backoff_limit_per_index()) {
    errors.Invalid(kPerIndex, spec.backoff_limit_per_index(), kNeedsIndexed);
  }
  if (spec.has_max_failed_indexes()) {
    errors.Invalid(kFailedIndexes, spec.max_failed_indexes(), kNeedsIndexed);
  }
}

// Returns the policy as the API server prints it: JSON with Go's names.
std::string SuccessPolicyAsJson(const SuccessPolicy& policy) {
  if (policy.rules().empty()) return "{\"Rules\":null}";
  return absl::StrFormat(
      "{\"Rules\":[%s]}",
      absl::StrJoin(
          policy.rules(), ",", [](std::string* out, const auto& rule) {
            absl::StrAppend(out, "{\"SucceededIndexes\":",
                            rule.has_succeeded_indexes()
                                ? QuotedValue(rule.succeeded_indexes())
                                : "null",
                            ",\"SucceededCount\":",
                            rule.has_succeeded_count()
                                ? absl::StrCat(rule.succeeded_count())
                                : "null",
                            "}");
          }));
}

// REQUIRES: `supported` is sorted, as in the API server's message.
void CheckOneOf(const std::string& field, const std::string& value,
                const std::vector<std::string_view>& supported,
                FieldErrors& errors) {
  if (value.empty()) {
    // Go's %q of a list has no commas.
    const std::string values = absl::StrJoin(
        supported, " ", [](std::string* out, std::string_view each) {
          *out += QuotedValue(each);
        });
    errors.Required(field, absl::StrFormat("valid values: [%s]", values));
  } else if (!HasText(supported, value)) {
    errors.NotSupported(field, value, supported);
  }
}

using OnExitCodes =
    kubernetes::batch::v1::PodFailurePolicyOnExitCodesRequirement;

void CheckExitCodeValues(const OnExitCodes& requirement,
                         const std::string& path, FieldErrors& errors) {
  const auto& values = requirement.values();
  const std::string printed =
      absl::StrCat("[", absl::StrJoin(values, ","), "]");
  if (values.empty()) {
    errors.Invalid(path, printed, "at least one value is required");
  } else if (values.size() > kMaxExitCodes) {
    errors.TooMany(path, values.size(), kMaxExitCodes);
  }
  std::set<std::int32_t> seen;
  for (int i = 0; i < values.size(); ++i) {
    if (requirement.operator_() == "In" && values[i] == 0) {
      errors.Invalid(IndexField(path, i), values[i],
                     "must not be 0 for the In operator");
    }
    if (!seen.insert(values[i]).second) {
      errors.Duplicate(IndexField(path, i), values[i]);
    }
  }
  if (!std::ranges::is_sorted(values)) {
    errors.Invalid(path, printed, "must be ordered");
  }
}

bool HasContainer(const kubernetes::core::v1::PodSpec& pod,
                  const std::string& name) {
  return FindNamed(pod.containers(), name) != nullptr ||
         FindNamed(pod.init_containers(), name) != nullptr;
}

void CheckExitCodes(const OnExitCodes& requirement, const std::string& path,
                    const JobSpec& spec, FieldErrors& errors) {
  CheckOneOf(path + ".operator", requirement.operator_(), {"In", "NotIn"},
             errors);
  if (requirement.has_container_name() &&
      !HasContainer(spec.template_().spec(), requirement.container_name())) {
    errors.Invalid(path + ".containerName",
                   QuotedValue(requirement.container_name()),
                   "must be one of the container or initContainer names in the "
                   "pod template");
  }
  CheckExitCodeValues(requirement, path + ".values", errors);
}

void CheckConditions(const PodFailurePolicyRule& rule, const std::string& path,
                     FieldErrors& errors) {
  if (rule.on_pod_conditions_size() > kMaxPatterns) {
    errors.TooMany(path, rule.on_pod_conditions_size(), kMaxPatterns);
  }
  for (int i = 0; i < rule.on_pod_conditions_size(); ++i) {
    const auto& pattern = rule.on_pod_conditions(i);
    const std::string place = IndexField(path, i);
    CheckQualifiedName(place + ".type", pattern.type(), errors);
    CheckOneOf(place + ".status", pattern.status(),
               {"False", "True", "Unknown"}, errors);
  }
}

void CheckFailureRule(const PodFailurePolicyRule& rule, const std::string& path,
                      const JobSpec& spec, FieldErrors& errors) {
  const std::string action = path + ".action";
  CheckOneOf(action, rule.action(), {"Count", "FailIndex", "FailJob", "Ignore"},
             errors);
  if (rule.action() == "FailIndex" && !spec.has_backoff_limit_per_index()) {
    errors.Invalid(action, QuotedValue(rule.action()),
                   "requires the backoffLimitPerIndex to be set");
  }
  const bool on_conditions = rule.on_pod_conditions_size() > 0;
  if (rule.has_on_exit_codes()) {
    CheckExitCodes(rule.on_exit_codes(), path + ".onExitCodes", spec, errors);
  }
  if (on_conditions) CheckConditions(rule, path + ".onPodConditions", errors);
  if (rule.has_on_exit_codes() == on_conditions) {
    errors.Invalid(
        path, "",
        on_conditions
            ? "specifying both OnExitCodes and OnPodConditions is not supported"
            : "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

void CheckSuccessRule(const kubernetes::batch::v1::SuccessPolicyRule& rule,
                      const std::string& path, std::int64_t completions,
                      FieldErrors& errors) {
  if (!rule.has_succeeded_count() && !rule.has_succeeded_indexes()) {
    errors.Required(
        path,
        "at least one of succeededCount or succeededIndexes must be specified");
  }
  std::int64_t indexes = 0;
  const std::string& text = rule.succeeded_indexes();
  const std::string field = path + ".succeededIndexes";
  const std::string fault =
      text.empty() ? "" : CountIndexes(text, completions, indexes);
  if (!fault.empty()) {
    indexes = 0;
    errors.Invalid(field, QuotedValue(text),
                   "error parsing succeededIndexes: " + fault);
  }
  if (!rule.has_succeeded_count()) return;
  const std::string count = path + ".succeededCount";
  CheckNonNegative(count, rule.succeeded_count(), errors);
  CheckAtMost(count, rule.succeeded_count(), completions,
              " (the number of specified completions)", errors);
  if (!rule.has_succeeded_indexes()) return;
  CheckAtMost(
      count, rule.succeeded_count(), indexes,
      " (the number of indexes in the specified succeededIndexes field)",
      errors);
}

// Checks each rule if there are not too many.
template <typename Rules, typename Check>
void CheckRules(const Rules& rules, const std::string& path, Check check,
                FieldErrors& errors) {
  if (rules.size() > kMaxPolicyRules) {
    errors.TooMany(path, rules.size(), kMaxPolicyRules);
  }
  for (int i = 0; i < rules.size(); ++i) check(rules[i], IndexField(path, i));
}

void CheckPolicies(const JobSpec& spec, FieldErrors& errors) {
  if (spec.has_pod_failure_policy()) {
    CheckRules(
        spec.pod_failure_policy().rules(), "spec.podFailurePolicy.rules",
        [&](const PodFailurePolicyRule& rule, const std::string& path) {
          CheckFailureRule(rule, path, spec, errors);
        },
        errors);
  }
  if (!spec.has_success_policy()) return;
  const SuccessPolicy& policy = spec.success_policy();
  if (!IsIndexed(spec)) {
    errors.Invalid("spec.successPolicy", SuccessPolicyAsJson(policy),
                   kNeedsIndexed);
    return;
  }
  constexpr char kRules[] = "spec.successPolicy.rules";
  if (policy.rules().empty()) {
    errors.Required(kRules,
                    "at least one rules must be specified when the "
                    "successPolicy is specified");
  }
  CheckRules(
      policy.rules(), kRules,
      [&](const auto& rule, const std::string& path) {
        CheckSuccessRule(rule, path, spec.completions(), errors);
      },
      errors);
}

void CheckPodReplacementPolicy(const JobSpec& spec, FieldErrors& errors) {
  const std::string& value = spec.pod_replacement_policy();
  if (!spec.has_pod_replacement_policy() || value == "Failed") return;
  constexpr char kField[] = "spec.podReplacementPolicy";
  if (spec.has_pod_failure_policy()) {
    errors.NotSupported(kField, value, {"Failed"});
  } else if (value != "TerminatingOrFailed") {
    errors.NotSupported(kField, value, {"Failed", "TerminatingOrFailed"});
  }
}

void CheckRestartPolicy(const JobSpec& spec, FieldErrors& errors) {
  const std::string& policy = spec.template_().spec().restart_policy();
  constexpr char kField[] = "spec.template.spec.restartPolicy";
  if (policy.empty() || policy == "Always") {
    errors.Required(kField, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    // The pod template's own check comes first.
    errors.NotSupported(kField, policy, {"Always", "OnFailure", "Never"});
    errors.NotSupported(kField, policy, {"OnFailure", "Never"});
  } else if (spec.has_pod_failure_policy() && policy != "Never") {
    errors.Invalid(
        kField, QuotedValue(policy),
        "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

// Returns whether the field is an action or operator of the pod failure policy,
// which may be newer. An unknown status is a mistake, because there will be no
// others.
bool IsOpenList(std::string_view field) {
  return field.starts_with("spec.podFailurePolicy.rules[") &&
         (field.ends_with(".action") || field.ends_with(".operator"));
}

}  // namespace

ObjectIssues ValidateJobSpec(const JobSpec& spec) {
  FieldErrors errors;
  for (const auto& check : {CheckNumbers, CheckCompletionMode, CheckPolicies,
                            CheckPodReplacementPolicy, CheckRestartPolicy}) {
    check(spec, errors);
  }
  ObjectIssues issues;
  for (FieldError& error : errors) {
    const bool needs_template =
        error.field.starts_with("spec.template") ||
        error.field.ends_with("onExitCodes.containerName");
    if (needs_template && !spec.has_template_()) continue;
    if (IsOpenList(error.field) && error.type == kUnsupportedValue) {
      issues.warnings.push_back(absl::StrFormat(
          "%s; taken as from a newer Kubernetes and passed over",
          FormatFieldError(error)));
    } else {
      issues.errors.push_back(std::move(error));
    }
  }
  return issues;
}

}  // namespace mulligan::job
