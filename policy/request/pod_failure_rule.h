// Which rule of a Job's podFailurePolicy takes a failed pod (Kubernetes
// KEP-3329, stable since 1.31; KEP-3850 for FailIndex).
#ifndef MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_
#define MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_

#include "mulligan/kubernetes/batch/v1/pod_failure_policy.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {

// What an API server admits (Kubernetes 1.34).
inline constexpr int kMaxPolicyRules = 20;
inline constexpr int kMaxExitCodes = 255;
inline constexpr int kMaxPatterns = 20;

// Whether the policy is within these bounds, so that its cost is, too.
bool HasAdmittedSize(const kubernetes::batch::v1::PodFailurePolicy& policy);

// Points into pod and policy.
struct PodFailureRule {
  // -1: no rule takes the pod.
  int index = -1;
  const kubernetes::batch::v1::PodFailurePolicyRule* rule = nullptr;
  // Whose exit code matched; null: a condition of the pod did.
  const kubernetes::core::v1::ContainerStatus* container = nullptr;
  const kubernetes::core::v1::PodCondition* condition = nullptr;
};

// The first rule that matches. Rules with an unknown action are passed over,
// with `fail_index` off FailIndex is one, and unknown operators match nothing,
// as the API demands of its clients. Whether the pod has failed is the caller's
// business.
//
// Exit codes: `state.terminated` of containers in status order, then of init
// containers; never `lastState`, never ephemeral containers, never code 0.
// Conditions: type and status as texts.
PodFailureRule FindPodFailureRule(
    const kubernetes::core::v1::Pod& pod,
    const kubernetes::batch::v1::PodFailurePolicy& policy,
    bool fail_index = true);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_POD_FAILURE_RULE_H_
