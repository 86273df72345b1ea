#include "policy/operators/job/pod_failure_policy.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan::job {
namespace {

bool IsKnownAction(const std::string& action, const Gates& gates) {
  return action == "FailJob" || action == "Ignore" || action == "Count" ||
         (action == "FailIndex" && gates.backoff_limit_per_index);
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

// Why the rule matches, up to the rule's own name; empty: it does not.
std::string Finding(const PodFailurePolicyRule& rule, const Pod& pod) {
  const auto& meta = pod.metadata();
  if (rule.has_on_exit_codes()) {
    for (const auto* containers : {&pod.status().container_statuses(),
                                   &pod.status().init_container_statuses()}) {
      for (const ContainerStatus& container : *containers) {
        if (!Satisfies(rule.on_exit_codes(), container)) continue;
        return absl::StrFormat(
            "Container %s for pod %s/%s failed with exit code %d",
            container.name(), meta.namespace_(), meta.name(),
            container.state().terminated().exit_code());
      }
    }
    return "";
  }
  for (const auto& condition : pod.status().conditions()) {
    for (const auto& pattern : rule.on_pod_conditions()) {
      if (pattern.type() == condition.type() &&
          pattern.status() == condition.status()) {
        return absl::StrFormat("Pod %s/%s has condition %s", meta.namespace_(),
                               meta.name(), condition.type());
      }
    }
  }
  return "";
}

}  // namespace

bool HasPodFailurePolicy(const JobSpec& spec, const Gates& gates) {
  return gates.pod_failure_policy && spec.has_pod_failure_policy();
}

PodFailureMatch MatchPodFailurePolicy(const Pod& pod, const JobSpec& spec,
                                      const Gates& gates) {
  if (!HasPodFailurePolicy(spec, gates)) return {};
  const auto& rules = spec.pod_failure_policy().rules();
  for (int i = 0; i < rules.size(); ++i) {
    const std::string& action = rules[i].action();
    if (!IsKnownAction(action, gates)) continue;
    const std::string finding = Finding(rules[i], pod);
    if (finding.empty()) continue;
    return {action, action != "Ignore",
            action == "FailJob"
                ? absl::StrFormat("%s matching FailJob rule at index %d",
                                  finding, i)
                : ""};
  }
  return {};
}

}  // namespace mulligan::job
