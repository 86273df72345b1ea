// Which policy decides a request.
#ifndef MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_
#define MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Makes rules of the inline policies of requests.
class InlinePolicies {
 public:
  virtual ~InlinePolicies() = default;

  // `bytes` is the policy with its map entries in key order, so that equal
  // policies have equal bytes. INVALID_ARGUMENT lists every problem.
  virtual absl::StatusOr<std::shared_ptr<const Ruleset>> Compile(
      const v1::RetryPolicy& policy, const std::string& bytes) = 0;
};

// Compiles an inline policy within the bounds for them (policy/limits.h).
absl::StatusOr<std::shared_ptr<const Ruleset>> CompileInline(
    const v1::RetryPolicy& policy);

struct ChosenPolicy {
  // Owned by the set, or by `inline_rules`.
  const Ruleset* rules = nullptr;
  const std::string* set_revision = nullptr;
  std::shared_ptr<const Ruleset> inline_rules;
  std::string inline_revision;

  const std::string& revision() const {
    return inline_rules == nullptr ? *set_revision : inline_revision;
  }
};

// Whether choosing and evaluating a policy for `request`, a DecideRequest or
// DemystifyRequest, may ask for labels.
template <typename Request>
bool MatchesLabels(const Request& request, const PolicySet& policies) {
  return request.has_inline_policy() || policies.matches_labels();
}

// The policy the request names (NOT_FOUND when it is not loaded), its inline
// policy compiled as strictly as a file by `inline_policies` (null:
// CompileInline; INVALID_ARGUMENT listing every problem), or the first whose
// selector fits.
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies);
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_
