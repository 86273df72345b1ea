// Limits that a workload sets for itself, within what the policy allows.
#ifndef MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_
#define MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_

#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/owners.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// Begins the name of an annotation; the budget's name is the rest.
inline constexpr char kLimitAnnotation[] = "mulligan.dev/limit.";

// Returns the policy's budgets with the workload's own limits; empty: it sets
// none. Of several limits for one budget the first applies: that of the request
// (DecideRequest.limits); of an annotation, on the most senior object that has
// it or, with none, on the first pod; of the workload's operator
// (Budget.limit_from). One that the policy does not allow is left out with a
// warning that names the bound.
std::vector<CompiledBudget> BudgetsWithOwnLimits(
    const v1::DecideRequest& request, const Owners& owners,
    const Ruleset& policy, std::vector<std::string>& warnings);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_OWN_LIMITS_H_
