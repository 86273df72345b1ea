// The rung of a verdict on the ladder of remedies (v1::Escalation).
#ifndef MULLIGAN_POLICY_VERDICT_ESCALATION_H_
#define MULLIGAN_POLICY_VERDICT_ESCALATION_H_

#include "mulligan/v1/decision.pb.h"
#include "policy/budget/accounts.h"
#include "policy/verdict/case.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills decision.escalation from the verdict and the budgets after it. The next
// rung is what the policy would do if the same failure repeated: by its rules,
// their placement and resources, and what would prevent a retry.
void FillEscalation(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ESCALATION_H_
