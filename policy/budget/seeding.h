// Where a workload stands by its operator's own counters.
#ifndef MULLIGAN_POLICY_BUDGET_SEEDING_H_
#define MULLIGAN_POLICY_BUDGET_SEEDING_H_

#include <cstdint>
#include <string>

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
// tell them apart: "application" if the policy has it, else the budget of its
// default; kNoBudget when there is neither.
int SeedBudget(const CompiledPolicy& policy);

// Adds `missing` failures nobody described to `ledger`: as attempts, and to the
// budget of SeedBudget, or to the one that paid last where none of the failures
// it tells of was the program's; they fill it at most. Returns a warning.
std::string SeedLedger(const NativeCount& count, std::int32_t missing,
                       const CompiledPolicy& policy, v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_SEEDING_H_
