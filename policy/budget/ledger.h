// The ledger: finding, adding and dropping its records.
#ifndef MULLIGAN_POLICY_BUDGET_LEDGER_H_
#define MULLIGAN_POLICY_BUDGET_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mulligan/v1/ledger.pb.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// Index in `ledger.history` of the failure called `id`; -1 when it is new.
int FindFailure(const v1::BudgetLedger& ledger, std::string_view id);

// Whether the record only says to wait: it is decided again when reported
// again, while every other record is final.
bool IsPending(const v1::AttemptRecord& record);

// Whether `attempt` or a later one has a final record already.
bool IsPastAttempt(const v1::BudgetLedger& ledger, std::int32_t attempt);

// Takes the pending record at `index` back, with what it charged, so that
// deciding again charges once.
void TakeBack(int index, v1::BudgetLedger& ledger);

// Moves `record`, which is empty then, to the end of the history and counts the
// attempt as number `attempts`.
void AddRecord(std::int32_t attempts, v1::AttemptRecord& record,
               v1::BudgetLedger& ledger);

// Drops the oldest records until the ledger keeps its bounds (kMaxHistory,
// kMaxLedgerJsonBytes), and use of budgets the policy no longer has if there
// are more than kMaxLedgerBudgets.
void BoundLedger(const CompiledPolicy& policy, v1::BudgetLedger& ledger);

// Upper bounds on the size as compact proto JSON, whoever writes it.
std::size_t LedgerJsonBytes(const v1::BudgetLedger& ledger);
std::size_t RecordJsonBytes(const v1::AttemptRecord& record);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_LEDGER_H_
