// What the API server refuses in a pod failure policy.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_VALIDATION_H_

#include <set>
#include <string>
#include <string_view>

#include "policy/operators/job/types.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::job {

// What of the Job around it a policy is checked against. A policy pasted into
// a policy file has no Job: leave both pointers null and set
// `allow_fail_index`.
struct PodFailurePolicySurroundings {
  // Names of containers and init containers of the template; null: unknown,
  // every containerName is fine.
  const std::set<std::string>* container_names = nullptr;
  // Whether FailIndex may be used: backoffLimitPerIndex is set.
  bool allow_fail_index = false;
};

// Every refusal in the API server's order, empty: accepted. Expects the
// defaults (SetPodFailurePolicyDefaults): a pattern without a status is
// refused. `path` is the place of the policy, "spec.podFailurePolicy".
FieldErrors ValidatePodFailurePolicy(
    const PodFailurePolicy& policy, std::string_view path,
    const PodFailurePolicySurroundings& surroundings);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_POD_FAILURE_POLICY_VALIDATION_H_
