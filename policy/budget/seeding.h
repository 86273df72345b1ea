// Starts a ledger from an operator's own counters.
#ifndef MULLIGAN_POLICY_BUDGET_SEEDING_H_
#define MULLIGAN_POLICY_BUDGET_SEEDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/ledger.pb.h"
#include "policy/request/workload_view.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Stores the counter, if any, in `ledger`. Returns a warning if it has
// decreased, which means that the object was recreated; else empty.
std::string RememberNativeCount(const NativeCount& count,
                                v1::BudgetLedger& ledger);

// Returns the budget for seeded failures, whose causes operators do not
// distinguish: the policy's first of "unexplained" and "application", else that
// of its default. kNoBudget if there is none.
int SeedBudget(const CompiledPolicy& policy);

// Returns the budget of a failure that may be one more of those in `ledger`
// (PayerOfCounted): the one that paid for them, kNoBudget if none did, and
// `otherwise` if they say nothing about it.
int BudgetOfOneMore(const CompiledPolicy& policy,
                    const v1::BudgetLedger& ledger,
                    std::string_view fingerprint, int otherwise);

// Adds `missing` failures to `ledger`, as attempts and as charges to `budget`
// (kNoBudget: none), but never takes its last unit. `budgets`: the policy's,
// with effective limits. Returns a warning.
std::string SeedLedger(const NativeCount& count, std::int32_t missing,
                       int budget, const std::vector<CompiledBudget>& budgets,
                       v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_SEEDING_H_
