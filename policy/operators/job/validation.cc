#include "policy/operators/job/validation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/pod_failure_policy_validation.h"
#include "policy/operators/job/success_policy_validation.h"

namespace mulligan::job {
namespace {

constexpr int kMaxIndexedParallelism = 100000;
constexpr int kMaxFailedIndexes = 100000;
// Above so many completions the limits per index are tighter.
constexpr int kManyCompletions = 100000;
constexpr int kMaxParallelismWithMany = 10000;
constexpr int kMaxFailedIndexesWithMany = 10000;
constexpr std::size_t kMaxManagedByLength = 63;

void CheckNumbers(const JobSpec& spec, std::string_view path,
                  FieldErrors& errors) {
  struct Row {
    std::string_view name;
    bool present;
    std::int64_t value;
  };
  const std::array<Row, 7> rows = {{
      {"parallelism", spec.has_parallelism(), spec.parallelism()},
      {"completions", spec.has_completions(), spec.completions()},
      {"activeDeadlineSeconds", spec.has_active_deadline_seconds(),
       spec.active_deadline_seconds()},
      {"backoffLimit", spec.has_backoff_limit(), spec.backoff_limit()},
      {"ttlSecondsAfterFinished", spec.has_ttl_seconds_after_finished(),
       spec.ttl_seconds_after_finished()},
      {"backoffLimitPerIndex", spec.has_backoff_limit_per_index(),
       spec.backoff_limit_per_index()},
      {"maxFailedIndexes", spec.has_max_failed_indexes(),
       spec.max_failed_indexes()},
  }};
  for (const Row& row : rows) {
    if (row.present) {
      CheckNonNegative(ChildField(path, row.name), row.value, errors);
    }
  }
  if (spec.has_max_failed_indexes() && !spec.has_backoff_limit_per_index()) {
    errors.push_back(RequiredError(ChildField(path, "backoffLimitPerIndex"),
                                   "when maxFailedIndexes is specified"));
  }
  if (spec.managed_by().size() > kMaxManagedByLength) {
    errors.push_back(TooLongError(ChildField(path, "managedBy"),
                                  static_cast<int>(kMaxManagedByLength)));
  }
}

void CheckAtMost(const std::string& field, std::int64_t value, int limit,
                 std::string_view when, FieldErrors& errors) {
  if (value <= limit) return;
  errors.push_back(InvalidError(
      field, value,
      absl::StrFormat("must be less than or equal to %d%s", limit, when)));
}

void CheckManyCompletions(const JobSpec& spec, std::string_view path,
                          FieldErrors& errors) {
  if (spec.completions() <= kManyCompletions ||
      !spec.has_backoff_limit_per_index()) {
    return;
  }
  const std::string failed = ChildField(path, "maxFailedIndexes");
  if (!spec.has_max_failed_indexes()) {
    errors.push_back(RequiredError(
        failed, absl::StrFormat("must be specified when completions is above "
                                "%d",
                                kManyCompletions)));
  }
  const std::string when = absl::StrFormat(
      " when completions are above %d and used with backoff limit per index",
      kManyCompletions);
  CheckAtMost(ChildField(path, "parallelism"), spec.parallelism(),
              kMaxParallelismWithMany, when, errors);
  CheckAtMost(failed, spec.max_failed_indexes(), kMaxFailedIndexesWithMany,
              when, errors);
}

void CheckIndexed(const JobSpec& spec, std::string_view path,
                  FieldErrors& errors) {
  if (!spec.has_completions()) {
    errors.push_back(RequiredError(ChildField(path, "completions"),
                                   "when completion mode is Indexed"));
  }
  CheckAtMost(ChildField(path, "parallelism"), spec.parallelism(),
              kMaxIndexedParallelism, " when completion mode is Indexed",
              errors);
  const std::string failed = ChildField(path, "maxFailedIndexes");
  if (spec.has_completions() && spec.has_max_failed_indexes() &&
      spec.max_failed_indexes() > spec.completions()) {
    errors.push_back(InvalidError(failed, spec.max_failed_indexes(),
                                  "must be less than or equal to "
                                  "completions"));
  }
  CheckAtMost(failed, spec.max_failed_indexes(), kMaxFailedIndexes, "", errors);
  CheckManyCompletions(spec, path, errors);
}

void CheckCompletionMode(const JobSpec& spec, std::string_view path,
                         FieldErrors& errors) {
  constexpr std::string_view kNeedsIndexed = "requires indexed completion mode";
  if (IsIndexed(spec)) return CheckIndexed(spec, path, errors);
  if (spec.has_completion_mode() && spec.completion_mode() != "NonIndexed") {
    errors.push_back(NotSupportedError(ChildField(path, "completionMode"),
                                       spec.completion_mode(),
                                       {"NonIndexed", "Indexed"}));
    return;
  }
  if (spec.has_backoff_limit_per_index()) {
    errors.push_back(InvalidError(ChildField(path, "backoffLimitPerIndex"),
                                  spec.backoff_limit_per_index(),
                                  std::string(kNeedsIndexed)));
  }
  if (spec.has_max_failed_indexes()) {
    errors.push_back(InvalidError(ChildField(path, "maxFailedIndexes"),
                                  spec.max_failed_indexes(),
                                  std::string(kNeedsIndexed)));
  }
}

void Append(FieldErrors more, FieldErrors& errors) {
  for (FieldError& error : more) errors.push_back(std::move(error));
}

void CheckPolicies(const JobSpec& spec, std::string_view path,
                   FieldErrors& errors) {
  if (spec.has_pod_failure_policy()) {
    std::set<std::string> names;
    for (const auto* containers :
         {&spec.template_().spec().containers(),
          &spec.template_().spec().init_containers()}) {
      for (const auto& container : *containers) names.insert(container.name());
    }
    Append(ValidatePodFailurePolicy(
               spec.pod_failure_policy(), ChildField(path, "podFailurePolicy"),
               {&names, spec.has_backoff_limit_per_index()}),
           errors);
  }
  if (!spec.has_success_policy()) return;
  const std::string place = ChildField(path, "successPolicy");
  if (IsIndexed(spec)) {
    Append(
        ValidateSuccessPolicy(spec.success_policy(), place, spec.completions()),
        errors);
  } else {
    errors.push_back(InvalidError(place,
                                  SuccessPolicyAsJson(spec.success_policy()),
                                  "requires indexed completion mode"));
  }
}

void CheckPodReplacementPolicy(const JobSpec& spec, std::string_view path,
                               FieldErrors& errors) {
  if (!spec.has_pod_replacement_policy()) return;
  const std::string& value = spec.pod_replacement_policy();
  const std::string field = ChildField(path, "podReplacementPolicy");
  if (spec.has_pod_failure_policy()) {
    if (value != "Failed") {
      errors.push_back(NotSupportedError(field, value, {"Failed"}));
    }
  } else if (value != "Failed" && value != "TerminatingOrFailed") {
    errors.push_back(
        NotSupportedError(field, value, {"Failed", "TerminatingOrFailed"}));
  }
}

void CheckRestartPolicy(const JobSpec& spec, std::string_view path,
                        FieldErrors& errors) {
  const std::string& policy = spec.template_().spec().restart_policy();
  const std::string field = ChildField(path, "template.spec.restartPolicy");
  if (policy.empty() || policy == "Always") {
    errors.push_back(
        RequiredError(field, "valid values: \"OnFailure\", \"Never\""));
  } else if (policy != "OnFailure" && policy != "Never") {
    // The pod template's own check comes first.
    errors.push_back(
        NotSupportedError(field, policy, {"Always", "OnFailure", "Never"}));
    errors.push_back(NotSupportedError(field, policy, {"OnFailure", "Never"}));
  } else if (spec.has_pod_failure_policy() && policy != "Never") {
    errors.push_back(InvalidError(
        field, QuotedValue(policy),
        "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

}  // namespace

FieldErrors ValidateJobSpec(const JobSpec& spec, std::string_view path) {
  FieldErrors errors;
  CheckNumbers(spec, path, errors);
  CheckCompletionMode(spec, path, errors);
  CheckPolicies(spec, path, errors);
  CheckPodReplacementPolicy(spec, path, errors);
  CheckRestartPolicy(spec, path, errors);
  return errors;
}

JobSpecIssues KubernetesJobSpecIssues(const JobSpec& spec,
                                      std::string_view path) {
  JobSpecIssues issues;
  const std::string rules = ChildField(path, "podFailurePolicy.rules[");
  for (FieldError& error : ValidateJobSpec(spec, path)) {
    const std::string_view field = error.field;
    // An unknown status is a slip: the three are all there will be.
    const bool is_open =
        field.starts_with(rules) &&
        (field.ends_with(".action") || field.ends_with(".operator"));
    if (is_open && error.type == kUnsupportedValue) {
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
