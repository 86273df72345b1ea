// Finds the podFailurePolicy rule of a Job that applies to a failed pod
// (Kubernetes KEP-3329, stable since 1.31; KEP-3850 for FailIndex).
#ifndef MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_
#define MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_

#include "mulligan/kubernetes/batch/v1/pod_failure_policy.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {

// The bounds of an API server (Kubernetes 1.34).
inline constexpr int kMaxPolicyRules = 20;
inline constexpr int kMaxExitCodes = 255;
inline constexpr int kMaxPatterns = 20;

// Returns whether the policy is within these bounds, which bounds the cost.
bool HasAdmittedSize(const kubernetes::batch::v1::PodFailurePolicy& policy);

// Points into the pod and the policy.
struct PodFailureRule {
  // -1 if no rule matches.
  int index = -1;
  const kubernetes::batch::v1::PodFailurePolicyRule* rule = nullptr;
  // The container whose exit code matched; null if a condition matched.
  const kubernetes::core::v1::ContainerStatus* container = nullptr;
  const kubernetes::core::v1::PodCondition* condition = nullptr;
};

// Returns the first rule that matches. REQUIRES: the pod has failed.
//
//   1. Rules with an unknown action are skipped. FailIndex is unknown if
//      `fail_index` is false. Unknown operators match nothing, as the API
//      requires.
//   2. Exit codes: `state.terminated` of containers in status order, then of
//      init containers. Excludes `lastState`, ephemeral containers and code 0.
//   3. Conditions: type and status must be equal.
PodFailureRule FindPodFailureRule(
    const kubernetes::core::v1::Pod& pod,
    const kubernetes::batch::v1::PodFailurePolicy& policy,
    bool fail_index = true);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_
