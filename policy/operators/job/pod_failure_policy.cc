#include "policy/operators/job/pod_failure_policy.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace mulligan::job {
namespace {

struct ActionRow {
  std::string_view name;
  bool counts;
  bool fails_job;
  // Gate without which the action is unknown; null: none.
  bool Gates::*gate;
};

constexpr std::array<ActionRow, 4> kActions = {{
    {"FailJob", true, true, nullptr},
    {"FailIndex", true, false, &Gates::backoff_limit_per_index},
    {"Ignore", false, false, nullptr},
    {"Count", true, false, nullptr},
}};

const ActionRow* KnownAction(const std::string& name, const Gates& gates) {
  for (const ActionRow& row : kActions) {
    if (row.name == name) {
      return row.gate == nullptr || gates.*row.gate ? &row : nullptr;
    }
  }
  return nullptr;
}

bool Satisfies(
    const kubernetes::batch::v1::PodFailurePolicyOnExitCodesRequirement&
        requirement,
    const ContainerStatus& container) {
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

const ContainerStatus* MatchingContainer(const PodFailurePolicyRule& rule,
                                         const Pod& pod) {
  for (const auto* containers : {&pod.status().container_statuses(),
                                 &pod.status().init_container_statuses()}) {
    for (const ContainerStatus& container : *containers) {
      if (Satisfies(rule.on_exit_codes(), container)) return &container;
    }
  }
  return nullptr;
}

const kubernetes::core::v1::PodCondition* MatchingCondition(
    const PodFailurePolicyRule& rule, const Pod& pod) {
  for (const auto& condition : pod.status().conditions()) {
    for (const auto& pattern : rule.on_pod_conditions()) {
      const std::string_view status = pattern.status().empty()
                                          ? std::string_view("True")
                                          : std::string_view(pattern.status());
      if (pattern.type() == condition.type() && condition.status() == status) {
        return &condition;
      }
    }
  }
  return nullptr;
}

// Why the rule matches, up to the rule's own name; empty: it does not.
std::string Finding(const PodFailurePolicyRule& rule, const Pod& pod) {
  const auto& meta = pod.metadata();
  if (rule.has_on_exit_codes()) {
    const ContainerStatus* const container = MatchingContainer(rule, pod);
    if (container == nullptr) return "";
    return absl::StrFormat(
        "Container %s for pod %s/%s failed with exit code %d",
        container->name(), meta.namespace_(), meta.name(),
        container->state().terminated().exit_code());
  }
  const auto* const condition = MatchingCondition(rule, pod);
  if (condition == nullptr) return "";
  return absl::StrFormat("Pod %s/%s has condition %s", meta.namespace_(),
                         meta.name(), condition->type());
}

}  // namespace

PodFailureMatch MatchPodFailurePolicy(const PodFailurePolicy* policy,
                                      const Pod& pod, const Gates& gates) {
  PodFailureMatch match;
  if (policy == nullptr) return match;
  for (int i = 0; i < policy->rules_size(); ++i) {
    const PodFailurePolicyRule& rule = policy->rules(i);
    const ActionRow* const action = KnownAction(rule.action(), gates);
    if (action == nullptr) continue;
    const std::string finding = Finding(rule, pod);
    if (finding.empty()) continue;
    match.action = rule.action();
    match.counts = action->counts;
    match.rule = i;
    if (action->fails_job) {
      match.message = absl::StrFormat("%s matching %s rule at index %d",
                                      finding, rule.action(), i);
    }
    return match;
  }
  return match;
}

const PodFailurePolicy* PodFailurePolicyOf(const JobSpec& spec,
                                           const Gates& gates) {
  return gates.pod_failure_policy && spec.has_pod_failure_policy()
             ? &spec.pod_failure_policy()
             : nullptr;
}

}  // namespace mulligan::job
