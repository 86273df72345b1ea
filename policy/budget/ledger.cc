#include "policy/budget/ledger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/base/counts.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {

namespace {

// Whether the ledger is far from its bound in bytes, told by its size on the
// wire: a byte of text becomes at most six in JSON, and the names of all fields
// of a record or budget, with the longest numbers and times, stay below 1000.
bool IsClearlySmall(const v1::BudgetLedger& ledger) {
  const auto parts =
      static_cast<std::size_t>(ledger.history_size()) + ledger.budgets().size();
  constexpr std::size_t kNamesPerPart = 1000;
  return parts < kMaxLedgerJsonBytes / kNamesPerPart &&
         ledger.ByteSizeLong() * 6 + (parts + 1) * kNamesPerPart <
             kMaxLedgerJsonBytes;
}

}  // namespace

int FindFailure(const v1::BudgetLedger& ledger, std::string_view id) {
  for (int i = ledger.history_size(); i-- > 0;) {
    if (ledger.history(i).failure_id() == id) return i;
  }
  return -1;
}

bool IsPending(const v1::AttemptRecord& record) {
  return record.decision().action() == v1::Decision::WAIT;
}

bool IsPastAttempt(const v1::BudgetLedger& ledger, std::int32_t attempt) {
  return std::any_of(ledger.history().begin(), ledger.history().end(),
                     [attempt](const v1::AttemptRecord& record) {
                       return record.attempt() >= attempt && !IsPending(record);
                     });
}

void TakeBack(int index, v1::BudgetLedger& ledger) {
  const v1::AttemptRecord& record = ledger.history(index);
  const auto use = ledger.mutable_budgets()->find(record.charged_to());
  if (use != ledger.mutable_budgets()->end() && use->second.used() > 0) {
    use->second.set_used(use->second.used() - 1);
  }
  if (ledger.attempts_seen() > 0) {
    ledger.set_attempts_seen(ledger.attempts_seen() - 1);
  }
  ledger.mutable_history()->DeleteSubrange(index, 1);
}

void AddRecord(std::int32_t attempts, v1::AttemptRecord& record,
               v1::BudgetLedger& ledger) {
  ledger.set_attempts_seen(attempts);
  ledger.add_history()->Swap(&record);
}

void BoundLedger(const CompiledPolicy& policy, v1::BudgetLedger& ledger) {
  if (ledger.budgets().size() > kMaxLedgerBudgets) {
    std::vector<std::string> foreign;
    for (const auto& [name, use] : ledger.budgets()) {
      if (FindBudget(policy.budgets, name) == kNoBudget) {
        foreign.push_back(name);
      }
    }
    std::sort(foreign.begin(), foreign.end());
    while (ledger.budgets().size() > kMaxLedgerBudgets && !foreign.empty()) {
      ledger.mutable_budgets()->erase(foreign.back());
      foreign.pop_back();
    }
  }
  if (ledger.history_size() <= kMaxHistory && IsClearlySmall(ledger)) return;
  int drop = std::max(ledger.history_size() - kMaxHistory, 0);
  std::size_t size = LedgerJsonBytes(ledger);
  for (int i = 0; size > kMaxLedgerJsonBytes && i < ledger.history_size();
       ++i) {
    size -= std::min(size, RecordJsonBytes(ledger.history(i)));
    drop = std::max(drop, i + 1);
  }
  if (drop == 0) return;
  ledger.mutable_history()->DeleteSubrange(0, drop);
  ledger.set_history_dropped(
      CountOf(std::int64_t{ledger.history_dropped()} + drop));
}

}  // namespace mulligan
