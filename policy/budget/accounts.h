// One policy's budgets in a decision: windows, refunds, charges, exhaustion.
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

// One budget. Counts are numbers of tolerated failures and never negative.
struct Account {
  std::int64_t limit = 0;
  std::int64_t used_before = 0;  // in the window open at `now`
  std::int64_t used = 0;
  std::int64_t refunded = 0;      // over the workload's lifetime
  std::int64_t refunded_now = 0;  // by this decision
  std::optional<absl::Time> window_start;
};

// The budget that pays, or the last exhausted one if none can.
struct Payer {
  int budget = kNoBudget;
  // The last exhausted budget on the escalation chain.
  int exhausted = kNoBudget;
};

// A copy of the ledger's budgets. Only WriteAccounts changes the ledger. Not
// thread-safe.
class Accounts {
 public:
  // Reads the use of `budgets` from `ledger`; windows that ended before `now`
  // count as unused. REQUIRES: `budgets` outlives this object.
  Accounts(const std::vector<CompiledBudget>& budgets,
           const v1::BudgetLedger& ledger, absl::Time now);

  // Gives back one unit to every budget whose refund condition holds, up to the
  // budget's ceiling for the workload's lifetime.
  void Refund(const v1::Progress& progress, const v1::BudgetLedger& ledger);

  // Returns `budget` or, if it is used up, the first budget with room on its
  // escalation chain.
  Payer FindPayer(int budget) const;

  // Charges one unit. REQUIRES: FindPayer(...).budget == budget.
  void Charge(int budget, absl::Time now);

  // For a what-if: raises the limit of `budget` by `delta`, but not below 0.
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

// Writes use, window and refunds of every used account into `ledger`.
void WriteAccounts(const Accounts& accounts, v1::BudgetLedger& ledger);

// Fills Accounting.budgets and Accounting.refunds.
void ReportAccounts(const Accounts& accounts, v1::Accounting& accounting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_ACCOUNTS_H_
