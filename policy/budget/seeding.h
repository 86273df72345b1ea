// Where a workload stands by its operator's own counters.
#ifndef MULLIGAN_POLICY_BUDGET_SEEDING_H_
#define MULLIGAN_POLICY_BUDGET_SEEDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "policy/request/workload_view.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Remembers the counter in `ledger` where there is one. Returns a warning when
// it has gone backwards, which operators' counters never do by themselves; else
// an empty text.
std::string RememberNativeCount(const NativeCount& count,
                                v1::BudgetLedger& ledger);

// The budget that seeded failures are charged to, because operators do not
// tell them apart: the first that the policy has of "unexplained" and
// "application", else that of its default; kNoBudget when there is none.
int SeedBudget(const CompiledPolicy& policy);

// Adds `missing` failures nobody described to `ledger`: as attempts, and to the
// budget of SeedBudget, but never its last unit. `budgets` are the policy's
// with the limits that apply. Returns a warning.
std::string SeedLedger(const NativeCount& count, std::int32_t missing,
                       const CompiledPolicy& policy,
                       const std::vector<CompiledBudget>& budgets,
                       v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_SEEDING_H_
