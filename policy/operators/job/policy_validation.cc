// What the API server refuses in a pod failure policy and in a success policy.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "policy/operators/go_text.h"
#include "policy/operators/job/validation.h"

namespace mulligan::job {
namespace {

constexpr int kMaxPolicyRules = 20;
constexpr int kMaxExitCodes = 255;
constexpr int kMaxPatterns = 20;
constexpr int kMaxIndexesLength = 64 * 1024;

// `supported` is sorted, as the API server lists it.
void CheckOneOf(const std::string& field, const std::string& value,
                const std::vector<std::string_view>& supported,
                FieldErrors& errors) {
  if (value.empty()) {
    // A list as Go prints one with %q: without commas.
    const std::string values = absl::StrJoin(
        supported, " ", [](std::string* out, std::string_view each) {
          *out += QuotedValue(each);
        });
    errors.push_back(
        RequiredError(field, absl::StrFormat("valid values: [%s]", values)));
  } else if (std::find(supported.begin(), supported.end(), value) ==
             supported.end()) {
    errors.push_back(NotSupportedError(field, value, supported));
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
    errors.push_back(
        InvalidError(path, printed, "at least one value is required"));
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
    errors.push_back(InvalidError(path, printed, "must be ordered"));
  }
}

bool HasContainer(const kubernetes::core::v1::PodSpec& pod,
                  const std::string& name) {
  const auto in = [&](const auto& containers) {
    return std::any_of(containers.begin(), containers.end(),
                       [&](const auto& each) { return each.name() == name; });
  };
  return in(pod.containers()) || in(pod.init_containers());
}

void CheckExitCodes(const OnExitCodes& requirement, const std::string& path,
                    const JobSpec& spec, FieldErrors& errors) {
  CheckOneOf(path + ".operator", requirement.operator_(), {"In", "NotIn"},
             errors);
  if (requirement.has_container_name() &&
      !HasContainer(spec.template_().spec(), requirement.container_name())) {
    errors.push_back(InvalidError(
        path + ".containerName", QuotedValue(requirement.container_name()),
        "must be one of the container or initContainer names in the pod "
        "template"));
  }
  CheckExitCodeValues(requirement, path + ".values", errors);
}

void CheckConditions(const PodFailurePolicyRule& rule, const std::string& path,
                     FieldErrors& errors) {
  if (rule.on_pod_conditions_size() > kMaxPatterns) {
    errors.push_back(
        TooManyError(path, rule.on_pod_conditions_size(), kMaxPatterns));
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
    errors.push_back(InvalidError(action, QuotedValue(rule.action()),
                                  "requires the backoffLimitPerIndex to be "
                                  "set"));
  }
  const bool on_conditions = rule.on_pod_conditions_size() > 0;
  if (rule.has_on_exit_codes()) {
    CheckExitCodes(rule.on_exit_codes(), path + ".onExitCodes", spec, errors);
  }
  if (on_conditions) CheckConditions(rule, path + ".onPodConditions", errors);
  if (rule.has_on_exit_codes() == on_conditions) {
    errors.push_back(InvalidError(
        path, "",
        on_conditions
            ? "specifying both OnExitCodes and OnPodConditions is not supported"
            : "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

std::string NotIncreasing(std::int64_t previous, std::int64_t current) {
  return absl::StrFormat("non-increasing order, previous: %d, current: %d",
                         previous, current);
}

// Number of indexes in "1,3-5" into `total`; what is wrong with the text, empty
// when nothing is.
std::string CountIndexes(const std::string& text, std::int64_t completions,
                         std::int64_t& total) {
  std::int64_t previous = -1;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> ends = absl::StrSplit(part, '-');
    if (ends.size() > 2) {
      return absl::StrFormat(
          "the fragment %s violates the requirement that an index interval "
          "can have at most two parts separated by '-'",
          QuotedValue(part));
    }
    std::vector<std::int64_t> indexes;
    for (const std::string& end : ends) {
      const std::optional<std::int64_t> index = GoInteger(end);
      if (!index.has_value()) {
        return absl::StrFormat("cannot convert string to integer for index: %s",
                               QuotedValue(end));
      }
      if (*index >= completions) {
        return absl::StrFormat("too large index: %s", QuotedValue(end));
      }
      indexes.push_back(*index);
    }
    const std::int64_t first = indexes.front();
    const std::int64_t last = indexes.back();
    if (ends.size() == 2 && first >= last) return NotIncreasing(first, last);
    if (previous >= first) return NotIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return "";
}

void CheckSuccessRule(const kubernetes::batch::v1::SuccessPolicyRule& rule,
                      const std::string& path, std::int64_t completions,
                      FieldErrors& errors) {
  if (!rule.has_succeeded_count() && !rule.has_succeeded_indexes()) {
    errors.push_back(RequiredError(
        path,
        "at least one of succeededCount or succeededIndexes must be "
        "specified"));
  }
  std::int64_t indexes = 0;
  const std::string& text = rule.succeeded_indexes();
  const std::string field = path + ".succeededIndexes";
  if (text.size() > std::size_t{kMaxIndexesLength}) {
    errors.push_back(TooLongError(field, kMaxIndexesLength));
  }
  const std::string fault =
      text.empty() ? "" : CountIndexes(text, completions, indexes);
  if (!fault.empty()) {
    indexes = 0;
    errors.push_back(InvalidError(field, QuotedValue(text),
                                  "error parsing succeededIndexes: " + fault));
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

// Checks each of the rules, of which there are not too many.
template <typename Rules, typename Check>
void CheckRules(const Rules& rules, const std::string& path, Check check,
                FieldErrors& errors) {
  if (rules.size() > kMaxPolicyRules) {
    errors.push_back(TooManyError(path, rules.size(), kMaxPolicyRules));
  }
  for (int i = 0; i < rules.size(); ++i) check(rules[i], IndexField(path, i));
}

}  // namespace

void CheckPodFailurePolicy(const JobSpec& spec, FieldErrors& errors) {
  CheckRules(
      spec.pod_failure_policy().rules(), "spec.podFailurePolicy.rules",
      [&](const PodFailurePolicyRule& rule, const std::string& path) {
        CheckFailureRule(rule, path, spec, errors);
      },
      errors);
}

void CheckSuccessPolicy(const JobSpec& spec, FieldErrors& errors) {
  constexpr char kRules[] = "spec.successPolicy.rules";
  if (spec.success_policy().rules().empty()) {
    errors.push_back(RequiredError(kRules,
                                   "at least one rules must be specified when "
                                   "the successPolicy is specified"));
  }
  CheckRules(
      spec.success_policy().rules(), kRules,
      [&](const auto& rule, const std::string& path) {
        CheckSuccessRule(rule, path, spec.completions(), errors);
      },
      errors);
}

}  // namespace mulligan::job
