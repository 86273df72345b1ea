// Limits that a workload sets for itself, within the policy's bounds.
#ifndef MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_
#define MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_

#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/owners.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// Prefix of an annotation's name; the rest is the budget's name.
inline constexpr char kLimitAnnotation[] = "mulligan.dev/limit.";

// Returns the policy's budgets with the workload's own limits; empty if it sets
// none. Limits outside the policy's bounds are left out with a warning that
// names the bound. If a budget has several limits, the first applies:
//
//   1. That of the request (DecideRequest.limits).
//   2. An annotation on the most senior object that has it, or else on the
//      first pod.
//   3. That of the workload's operator (Budget.limit_from).
std::vector<CompiledBudget> BudgetsWithOwnLimits(
    const v1::DecideRequest& request, const Owners& owners,
    const Ruleset& policy, std::vector<std::string>& warnings);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_
