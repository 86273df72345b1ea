// Finds, adds and drops the records of a ledger.
#ifndef MULLIGAN_POLICY_BUDGET_LEDGER_H_
#define MULLIGAN_POLICY_BUDGET_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/workload_view.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Returns the index in `ledger.history` of the failure `id`; -1 if new.
int FindFailure(const v1::BudgetLedger& ledger, std::string_view id);

// Returns whether the record only says to wait or that others retry. It is
// decided again when reported again; all other records are final.
bool IsPending(const v1::AttemptRecord& record);

// Returns whether this version knows every value of the record. A value from a
// newer version reads as a number without a name or, from JSON, as unset.
bool IsUnderstood(const v1::AttemptRecord& record);

// Returns whether the kubelet or an operator retried the work unchanged.
bool IsRetriedByOthers(const v1::AttemptRecord& record);

// Returns whether the record is final and understood, so can be repeated.
bool IsRepeatable(const v1::AttemptRecord& record);

// Returns whether the decision covers more than one pod or index.
bool IsOfWhole(const v1::Decision& decision);

// Returns whether a later record decided about the whole workload: gave it up
// or restarted all of it. Restarts of single pods and indexes do not count.
bool IsOvertaken(const v1::BudgetLedger& ledger, int record);

// Returns whether `attempt` or a later one has a final record.
bool IsPastAttempt(const v1::BudgetLedger& ledger, std::int32_t attempt);

// Returns the number after the attempts that the ledger has seen; saturates.
std::int32_t NextAttempt(const v1::BudgetLedger& ledger);

// Removes the record at `index` and its charge, so it can be decided again.
void TakeBack(int index, v1::BudgetLedger& ledger);

// Undoes TakeBack(index), which removed `record`.
void PutBack(const v1::AttemptRecord& record, int index,
             v1::BudgetLedger& ledger);

// Moves `record` to the end of the history, leaving `record` empty, and sets
// the number of attempts seen to `attempts`.
void AddRecord(std::int32_t attempts, v1::AttemptRecord& record,
               v1::BudgetLedger& ledger);

// Drops records until the ledger is within its bounds (kMaxHistory,
// kMaxLedgerJsonBytes): disruptions before the latest kMaxHistory / 4 records
// first, because their budget counts them and they say nothing about the next
// attempt, then the oldest. Drops budgets that the policy no longer has if
// there are more than kMaxLedgerBudgets.
void BoundLedger(const CompiledPolicy& policy, v1::BudgetLedger& ledger);

// Return upper bounds on the bytes of compact proto JSON, whatever writes it.
std::size_t LedgerJsonBytes(const v1::BudgetLedger& ledger);
std::size_t RecordJsonBytes(const v1::AttemptRecord& record);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_LEDGER_H_
