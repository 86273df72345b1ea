#include "policy/operators/job/pod_failure_policy_validation.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace mulligan::job {
namespace {

constexpr int kMaxFailureRules = 20;
constexpr int kMaxExitCodes = 255;
constexpr int kMaxPatterns = 20;

// Sorted, as the API server lists them.
const std::vector<std::string_view>& Actions() {
  static const auto& actions = *new std::vector<std::string_view>{
      "Count", "FailIndex", "FailJob", "Ignore"};
  return actions;
}
const std::vector<std::string_view>& Operators() {
  static const auto& operators =
      *new std::vector<std::string_view>{"In", "NotIn"};
  return operators;
}
const std::vector<std::string_view>& Statuses() {
  static const auto& statuses =
      *new std::vector<std::string_view>{"False", "True", "Unknown"};
  return statuses;
}

bool Has(const std::vector<std::string_view>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// A list as Go prints one with %q: without commas.
std::string ValidValues(const std::vector<std::string_view>& values) {
  return absl::StrFormat(
      "valid values: [%s]",
      absl::StrJoin(values, " ", [](std::string* out, std::string_view value) {
        *out += QuotedValue(value);
      }));
}

void CheckOneOf(const std::string& field, const std::string& value,
                const std::vector<std::string_view>& values,
                FieldErrors& errors) {
  if (value.empty()) {
    errors.push_back(RequiredError(field, ValidValues(values)));
  } else if (!Has(values, value)) {
    errors.push_back(NotSupportedError(field, value, values));
  }
}

using OnExitCodes =
    kubernetes::batch::v1::PodFailurePolicyOnExitCodesRequirement;

std::string CodesAsJson(const OnExitCodes& requirement) {
  return absl::StrCat("[", absl::StrJoin(requirement.values(), ","), "]");
}

void CheckExitCodeValues(const OnExitCodes& requirement,
                         const std::string& path, FieldErrors& errors) {
  const auto& values = requirement.values();
  if (values.empty()) {
    errors.push_back(InvalidError(path, CodesAsJson(requirement),
                                  "at least one value is required"));
  } else if (values.size() > kMaxExitCodes) {
    errors.push_back(TooManyError(path, values.size(), kMaxExitCodes));
  }
  std::set<std::int32_t> seen;
  for (int i = 0; i < values.size(); ++i) {
    if (requirement.operator_() == "In" && values[i] == 0) {
      errors.push_back(InvalidError(IndexField(path, i), values[i],
                                    "must not be 0 for the In operator"));
    }
    if (!seen.insert(values[i]).second) {
      errors.push_back(DuplicateError(IndexField(path, i), values[i]));
    }
  }
  if (!std::is_sorted(values.begin(), values.end())) {
    errors.push_back(
        InvalidError(path, CodesAsJson(requirement), "must be ordered"));
  }
}

void CheckExitCodes(const OnExitCodes& requirement, const std::string& path,
                    const PodFailurePolicySurroundings& surroundings,
                    FieldErrors& errors) {
  CheckOneOf(ChildField(path, "operator"), requirement.operator_(), Operators(),
             errors);
  const auto* const names = surroundings.container_names;
  if (requirement.has_container_name() && names != nullptr &&
      names->count(requirement.container_name()) == 0) {
    errors.push_back(InvalidError(
        ChildField(path, "containerName"),
        QuotedValue(requirement.container_name()),
        "must be one of the container or initContainer names in the pod "
        "template"));
  }
  CheckExitCodeValues(requirement, ChildField(path, "values"), errors);
}

void CheckPatterns(const PodFailurePolicyRule& rule, const std::string& path,
                   FieldErrors& errors) {
  if (rule.on_pod_conditions_size() > kMaxPatterns) {
    errors.push_back(
        TooManyError(path, rule.on_pod_conditions_size(), kMaxPatterns));
  }
  for (int i = 0; i < rule.on_pod_conditions_size(); ++i) {
    const auto& pattern = rule.on_pod_conditions(i);
    const std::string place = IndexField(path, i);
    CheckQualifiedName(ChildField(place, "type"), pattern.type(), errors);
    CheckOneOf(ChildField(place, "status"), pattern.status(), Statuses(),
               errors);
  }
}

void CheckFailureRule(const PodFailurePolicyRule& rule, const std::string& path,
                      const PodFailurePolicySurroundings& surroundings,
                      FieldErrors& errors) {
  const std::string action = ChildField(path, "action");
  CheckOneOf(action, rule.action(), Actions(), errors);
  if (rule.action() == "FailIndex" && !surroundings.allow_fail_index) {
    errors.push_back(InvalidError(action, QuotedValue(rule.action()),
                                  "requires the backoffLimitPerIndex to be "
                                  "set"));
  }
  const bool on_conditions = rule.on_pod_conditions_size() > 0;
  if (rule.has_on_exit_codes()) {
    CheckExitCodes(rule.on_exit_codes(), ChildField(path, "onExitCodes"),
                   surroundings, errors);
  }
  if (on_conditions) {
    CheckPatterns(rule, ChildField(path, "onPodConditions"), errors);
  }
  if (rule.has_on_exit_codes() == on_conditions) {
    errors.push_back(InvalidError(
        path, "",
        on_conditions
            ? "specifying both OnExitCodes and OnPodConditions is not supported"
            : "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

}  // namespace

FieldErrors ValidatePodFailurePolicy(
    const PodFailurePolicy& policy, std::string_view path,
    const PodFailurePolicySurroundings& surroundings) {
  FieldErrors errors;
  const std::string rules = ChildField(path, "rules");
  if (policy.rules_size() > kMaxFailureRules) {
    errors.push_back(
        TooManyError(rules, policy.rules_size(), kMaxFailureRules));
  }
  for (int i = 0; i < policy.rules_size(); ++i) {
    CheckFailureRule(policy.rules(i), IndexField(rules, i), surroundings,
                     errors);
  }
  return errors;
}

}  // namespace mulligan::job
