// The ledger: finding, adding and dropping its records.
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

// Index in `ledger.history` of the failure called `id`; -1 when it is new.
int FindFailure(const v1::BudgetLedger& ledger, std::string_view id);

// Whether the record only says to wait, or that others retry: it is decided
// again when reported again, while every other record is final.
bool IsPending(const v1::AttemptRecord& record);

// Whether this version knows every value of the record. A value of a newer
// version reads as a number without a name, or, from JSON, as unset.
bool IsUnderstood(const v1::AttemptRecord& record);

// Whether the kubelet or an operator retried it, unchanged.
bool IsRetriedByOthers(const v1::AttemptRecord& record);

// Whether the record's verdict can be told again: it is final and understood.
bool IsRepeatable(const v1::AttemptRecord& record);

// Whether it is about more than one pod or index of the work.
bool IsOfWhole(const v1::Decision& decision);

// Whether a record after `record` decided about the whole workload: gave it up,
// or had all of it started again. Pods and indexes that are started again one
// by one overtake nothing.
bool IsOvertaken(const v1::BudgetLedger& ledger, int record);

// Whether `attempt` or a later one has a final record already.
bool IsPastAttempt(const v1::BudgetLedger& ledger, std::int32_t attempt);

// The attempt number after those the ledger has seen; saturates.
std::int32_t NextAttempt(const v1::BudgetLedger& ledger);

// Takes the record at `index` back, with what it charged, so that
// deciding again charges once.
void TakeBack(int index, v1::BudgetLedger& ledger);

// Undoes that: `record` was the one at `index`.
void PutBack(const v1::AttemptRecord& record, int index,
             v1::BudgetLedger& ledger);

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
