#include "policy/operators/job/validation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace mulligan::job {
namespace {

constexpr int kMaxIndexedParallelism = 100000;
constexpr int kMaxFailedIndexes = 100000;
// Above so many completions the limits per index are tighter.
constexpr int kManyCompletions = 100000;
constexpr int kMaxParallelismWithMany = 10000;
constexpr int kMaxFailedIndexesWithMany = 10000;
constexpr std::size_t kMaxManagedByLength = 63;

constexpr char kParallelism[] = "spec.parallelism";
constexpr char kCompletions[] = "spec.completions";
constexpr char kPerIndex[] = "spec.backoffLimitPerIndex";
constexpr char kFailedIndexes[] = "spec.maxFailedIndexes";
constexpr char kNeedsIndexed[] = "requires indexed completion mode";

void CheckNumbers(const JobSpec& spec, FieldErrors& errors) {
  // Those that are absent are 0.
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
    errors.push_back(
        RequiredError(kPerIndex, "when maxFailedIndexes is specified"));
  }
  if (spec.managed_by().size() > kMaxManagedByLength) {
    errors.push_back(
        TooLongError("spec.managedBy", static_cast<int>(kMaxManagedByLength)));
  }
}

void CheckIndexed(const JobSpec& spec, FieldErrors& errors) {
  if (!spec.has_completions()) {
    errors.push_back(
        RequiredError(kCompletions, "when completion mode is Indexed"));
  }
  CheckAtMost(kParallelism, spec.parallelism(), kMaxIndexedParallelism,
              " when completion mode is Indexed", errors);
  if (spec.has_completions() && spec.has_max_failed_indexes() &&
      spec.max_failed_indexes() > spec.completions()) {
    errors.push_back(InvalidError(kFailedIndexes, spec.max_failed_indexes(),
                                  "must be less than or equal to "
                                  "completions"));
  }
  CheckAtMost(kFailedIndexes, spec.max_failed_indexes(), kMaxFailedIndexes, "",
              errors);
  if (spec.completions() <= kManyCompletions ||
      !spec.has_backoff_limit_per_index()) {
    return;
  }
  if (!spec.has_max_failed_indexes()) {
    errors.push_back(RequiredError(
        kFailedIndexes,
        absl::StrCat("must be specified when completions is above ",
                     kManyCompletions)));
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
    errors.push_back(NotSupportedError("spec.completionMode",
                                       spec.completion_mode(),
                                       {"NonIndexed", "Indexed"}));
    return;
  }
  if (spec.has_backoff_limit_per_index()) {
    errors.push_back(
        InvalidError(kPerIndex, spec.backoff_limit_per_index(), kNeedsIndexed));
  }
  if (spec.has_max_failed_indexes()) {
    errors.push_back(
        InvalidError(kFailedIndexes, spec.max_failed_indexes(), kNeedsIndexed));
  }
}

// The policy as the API server prints it: JSON with the names of Go.
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

void CheckPolicies(const JobSpec& spec, FieldErrors& errors) {
  if (spec.has_pod_failure_policy()) CheckPodFailurePolicy(spec, errors);
  if (!spec.has_success_policy()) return;
  if (IsIndexed(spec)) return CheckSuccessPolicy(spec, errors);
  errors.push_back(InvalidError("spec.successPolicy",
                                SuccessPolicyAsJson(spec.success_policy()),
                                kNeedsIndexed));
}

void CheckPodReplacementPolicy(const JobSpec& spec, FieldErrors& errors) {
  const std::string& value = spec.pod_replacement_policy();
  if (!spec.has_pod_replacement_policy() || value == "Failed") return;
  constexpr char kField[] = "spec.podReplacementPolicy";
  if (spec.has_pod_failure_policy()) {
    errors.push_back(NotSupportedError(kField, value, {"Failed"}));
  } else if (value != "TerminatingOrFailed") {
    errors.push_back(
        NotSupportedError(kField, value, {"Failed", "TerminatingOrFailed"}));
  }
}

void CheckRestartPolicy(const JobSpec& spec, FieldErrors& errors) {
  const std::string& policy = spec.template_().spec().restart_policy();
  constexpr char kField[] = "spec.template.spec.restartPolicy";
  if (policy.empty() || policy == "Always") {
    errors.push_back(
        RequiredError(kField, "valid values: \"OnFailure\", \"Never\""));
  } else if (policy != "OnFailure" && policy != "Never") {
    // The pod template's own check comes first.
    errors.push_back(
        NotSupportedError(kField, policy, {"Always", "OnFailure", "Never"}));
    errors.push_back(NotSupportedError(kField, policy, {"OnFailure", "Never"}));
  } else if (spec.has_pod_failure_policy() && policy != "Never") {
    errors.push_back(InvalidError(
        kField, QuotedValue(policy),
        "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

// Whether the field is an action or operator of the pod failure policy. An
// unknown status is a slip: the three are all there will be.
bool IsOpenList(std::string_view field) {
  return field.starts_with("spec.podFailurePolicy.rules[") &&
         (field.ends_with(".action") || field.ends_with(".operator"));
}

}  // namespace

JobSpecIssues ValidateJobSpec(const JobSpec& spec) {
  FieldErrors errors;
  for (const auto& check : {CheckNumbers, CheckCompletionMode, CheckPolicies,
                            CheckPodReplacementPolicy, CheckRestartPolicy}) {
    check(spec, errors);
  }
  JobSpecIssues issues;
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
