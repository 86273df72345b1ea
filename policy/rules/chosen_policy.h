// Which policy decides a request.
#ifndef MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_
#define MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

struct ChosenPolicy {
  // Owned by the set, or by `inline_rules`.
  const Ruleset* rules = nullptr;
  const std::string* set_revision = nullptr;
  std::unique_ptr<const Ruleset> inline_rules;
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
// policy compiled as strictly as a file (INVALID_ARGUMENT listing every
// problem), or the first whose selector fits.
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies);
absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_CHOSEN_POLICY_H_
