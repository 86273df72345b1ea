#include "policy/operators/jobset/defaults.h"

#include "absl/strings/str_format.h"

namespace mulligan::jobset {

void SetFailurePolicyDefaults(FailurePolicy& policy) {
  if (!policy.has_max_restarts()) policy.set_max_restarts(0);
  if (policy.restart_strategy().empty()) {
    policy.set_restart_strategy("Recreate");
  }
  for (int i = 0; i < policy.rules_size(); ++i) {
    FailurePolicyRule& rule = *policy.mutable_rules(i);
    if (rule.name().empty()) {
      rule.set_name(absl::StrFormat("failurePolicyRule%d", i));
    }
  }
}

void SetJobSetDefaults(JobSetSpec& spec) {
  if (spec.has_failure_policy()) {
    SetFailurePolicyDefaults(*spec.mutable_failure_policy());
  }
  if (spec.success_policy().operator_().empty()) {
    spec.mutable_success_policy()->set_operator_("All");
  }
  if (spec.startup_policy().startup_policy_order().empty()) {
    spec.mutable_startup_policy()->set_startup_policy_order("AnyOrder");
  }
  for (ReplicatedJob& group : *spec.mutable_replicated_jobs()) {
    if (!group.has_replicas()) group.set_replicas(1);
    auto& job = *group.mutable_template_()->mutable_spec();
    if (!job.has_completion_mode()) job.set_completion_mode("Indexed");
    auto& pod = *job.mutable_template_()->mutable_spec();
    if (pod.restart_policy().empty()) pod.set_restart_policy("OnFailure");
  }
}

}  // namespace mulligan::jobset
