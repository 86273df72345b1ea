// Where a verdict stands among the things that can be tried (v1::Escalation).
#ifndef MULLIGAN_POLICY_VERDICT_ESCALATION_H_
#define MULLIGAN_POLICY_VERDICT_ESCALATION_H_

#include "mulligan/v1/decision.pb.h"
#include "policy/budget/accounts.h"
#include "policy/verdict/case.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Fills decision.escalation of a verdict that was written down in `decision`,
// with the budgets after it. The next rung is what the policy would do if the
// same failure came again, and again: by its rules, what they say about
// placement and resources, and what stands against a retry.
void FillEscalation(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ESCALATION_H_
