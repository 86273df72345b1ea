// The budgets of one policy while a decision is made: windows, refunds,
// charges, exhaustion.
#ifndef MULLIGAN_POLICY_BUDGET_ACCOUNTS_H_
#define MULLIGAN_POLICY_BUDGET_ACCOUNTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// One budget. Counts are in failures tolerated and never negative.
struct Account {
  std::int64_t limit = 0;
  std::int64_t used_before = 0;  // in the window that is open at `now`
  std::int64_t used = 0;
  std::int64_t refunded = 0;      // over the workload's life
  std::int64_t refunded_now = 0;  // by this decision
  std::optional<absl::Time> window_start;
};

// Who pays, or what there is to say when nobody can.
struct Payer {
  int budget = kNoBudget;  // that pays
  // The last exhausted budget on the way there.
  int exhausted = kNoBudget;
};

// A copy of the ledger's budgets; the ledger changes only through
// WriteAccounts. Not thread safe.
class Accounts {
 public:
  // Reads the use of each of `budgets` from `ledger`, forgetting windows that
  // ended before `now`. `budgets` must outlive this object.
  Accounts(const std::vector<CompiledBudget>& budgets,
           const v1::BudgetLedger& ledger, absl::Time now);

  // Gives back one unit of every budget whose refund condition holds, within
  // the budget's ceiling for the workload's whole life.
  void Refund(const v1::Progress& progress, const v1::BudgetLedger& ledger);

  // `budget` or, when it is used up, the first budget with room on its
  // escalation chain.
  Payer FindPayer(int budget) const;

  // Charges one unit. Requires: FindPayer(...).budget == budget.
  void Charge(int budget, absl::Time now);

  // What-if: as if the limit of `budget` were `delta` higher.
  void ShiftLimit(int budget, std::int64_t delta);

  const Account& at(int budget) const {
    return accounts_[static_cast<std::size_t>(budget)];
  }
  int size() const { return static_cast<int>(accounts_.size()); }
  const std::vector<CompiledBudget>& budgets() const { return *budgets_; }

 private:
  Account& mutable_at(int budget) {
    return accounts_[static_cast<std::size_t>(budget)];
  }

  const std::vector<CompiledBudget>* budgets_;
  absl::InlinedVector<Account, 12> accounts_;
};

// End of the account's window; nothing when it has none or is unused.
std::optional<absl::Time> WindowEnd(const CompiledBudget& budget,
                                    const Account& account);

// Writes use, window and refunds of every account that has any into `ledger`.
void WriteAccounts(const Accounts& accounts, v1::BudgetLedger& ledger);

// Fills Accounting.budgets and Accounting.refunds.
void ReportAccounts(const Accounts& accounts, v1::Accounting& accounting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_ACCOUNTS_H_
