#include "policy/request/pod_failure_rule.h"

#include <algorithm>
#include <string>

namespace mulligan {
namespace {

namespace batch = kubernetes::batch::v1;
namespace core = kubernetes::core::v1;

bool IsKnownAction(const std::string& action, bool fail_index) {
  return action == "FailJob" || action == "Ignore" || action == "Count" ||
         (action == "FailIndex" && fail_index);
}

bool Satisfies(const batch::PodFailurePolicyOnExitCodesRequirement& requirement,
               const core::ContainerStatus& container) {
  if (!container.state().has_terminated()) return false;
  if (requirement.has_container_name() &&
      requirement.container_name() != container.name()) {
    return false;
  }
  const int code = container.state().terminated().exit_code();
  if (code == 0) return false;
  const auto& values = requirement.values();
  const bool listed =
      std::find(values.begin(), values.end(), code) != values.end();
  if (requirement.operator_() == "In") return listed;
  return requirement.operator_() == "NotIn" && !listed;
}

// Returns whether the rule matches the pod, and sets what matched.
bool MatchRule(const core::Pod& pod, PodFailureRule& found) {
  const batch::PodFailurePolicyRule& rule = *found.rule;
  if (rule.has_on_exit_codes()) {
    for (const auto* containers : {&pod.status().container_statuses(),
                                   &pod.status().init_container_statuses()}) {
      for (const core::ContainerStatus& container : *containers) {
        if (!Satisfies(rule.on_exit_codes(), container)) continue;
        found.container = &container;
        return true;
      }
    }
    return false;
  }
  for (const auto& condition : pod.status().conditions()) {
    for (const auto& pattern : rule.on_pod_conditions()) {
      if (pattern.type() == condition.type() &&
          pattern.status() == condition.status()) {
        found.condition = &condition;
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool HasAdmittedSize(const batch::PodFailurePolicy& policy) {
  return policy.rules_size() <= kMaxPolicyRules &&
         std::all_of(policy.rules().begin(), policy.rules().end(),
                     [](const batch::PodFailurePolicyRule& rule) {
                       return rule.on_exit_codes().values_size() <=
                                  kMaxExitCodes &&
                              rule.on_pod_conditions_size() <= kMaxPatterns;
                     });
}

PodFailureRule FindPodFailureRule(const core::Pod& pod,
                                  const batch::PodFailurePolicy& policy,
                                  bool fail_index) {
  for (int i = 0; i < policy.rules_size(); ++i) {
    PodFailureRule found{i, &policy.rules(i)};
    if (IsKnownAction(found.rule->action(), fail_index) &&
        MatchRule(pod, found)) {
      return found;
    }
  }
  return {};
}

}  // namespace mulligan
