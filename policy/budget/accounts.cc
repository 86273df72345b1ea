#include "policy/budget/accounts.h"

#include <algorithm>
#include <optional>

#include "policy/base/counts.h"
#include "policy/base/times.h"

namespace mulligan {
namespace {

void OpenAccount(const CompiledBudget& budget, const v1::BudgetUse& use,
                 absl::Time now, Account& account) {
  account.used = std::max<std::int64_t>(use.used(), 0);
  account.refunded = std::max<std::int64_t>(use.refunded(), 0);
  if (!budget.window) return;
  // The budget had no window when the ledger was written: it starts now.
  account.window_start =
      use.has_window_start() ? ToTime(use.window_start()) : now;
  if (now >= *account.window_start + *budget.window || account.used == 0) {
    account.used = 0;
    account.window_start.reset();
  }
}

std::optional<double> BestProgress(const v1::BudgetLedger& ledger) {
  std::optional<double> best;
  for (const v1::AttemptRecord& record : ledger.history()) {
    if (record.has_progress()) {
      best = std::max(best.value_or(record.progress()), record.progress());
    }
  }
  return best;
}

bool EarnsRefund(const CompiledRefund& refund, const v1::Progress& progress,
                 const std::optional<double>& best) {
  if (refund.min_growth) {
    if (!progress.has_value() || !best) return false;
    if (!(progress.value() - *best >= *refund.min_growth)) return false;
  }
  return !refund.min_healthy ||
         (progress.has_healthy_for() &&
          ToDuration(progress.healthy_for()) >= *refund.min_healthy);
}

}  // namespace

Accounts::Accounts(const std::vector<CompiledBudget>& budgets,
                   const v1::BudgetLedger& ledger, absl::Time now)
    : budgets_(&budgets), accounts_(budgets.size()) {
  for (int i = 0; i < size(); ++i) {
    const CompiledBudget& budget = budgets[static_cast<std::size_t>(i)];
    Account& account = mutable_at(i);
    account.limit = budget.limit;
    if (ledger.budgets().empty()) continue;
    const auto use = ledger.budgets().find(budget.name);
    if (use == ledger.budgets().end()) continue;
    OpenAccount(budget, use->second, now, account);
    account.used_before = account.used;
  }
}

void Accounts::Refund(const v1::Progress& progress,
                      const v1::BudgetLedger& ledger) {
  std::optional<double> best;
  bool searched = false;
  for (int i = 0; i < size(); ++i) {
    const auto& refund = (*budgets_)[static_cast<std::size_t>(i)].refund;
    Account& account = mutable_at(i);
    if (!refund || account.used == 0 || account.refunded >= refund->ceiling) {
      continue;
    }
    if (!searched) best = BestProgress(ledger);
    searched = true;
    if (!EarnsRefund(*refund, progress, best)) continue;
    --account.used;
    ++account.refunded;
    ++account.refunded_now;
    if (account.used == 0) account.window_start.reset();
  }
}

Payer Accounts::FindPayer(int budget) const {
  Payer payer;
  while (budget != kNoBudget) {
    if (at(budget).used < at(budget).limit) {
      payer.budget = budget;
      return payer;
    }
    payer.exhausted = budget;
    budget = (*budgets_)[static_cast<std::size_t>(budget)].escalate_to;
  }
  return payer;
}

void Accounts::Charge(int budget, absl::Time now) {
  Account& account = mutable_at(budget);
  ++account.used;
  if ((*budgets_)[static_cast<std::size_t>(budget)].window &&
      !account.window_start) {
    account.window_start = now;
  }
}

void Accounts::ShiftLimit(int budget, std::int64_t delta) {
  Account& account = mutable_at(budget);
  account.limit = std::max<std::int64_t>(account.limit + delta, 0);
}

void WriteAccounts(const Accounts& accounts, v1::BudgetLedger& ledger) {
  const bool had_budgets = !ledger.budgets().empty();
  for (int i = 0; i < accounts.size(); ++i) {
    const Account& account = accounts.at(i);
    const std::string& name =
        accounts.budgets()[static_cast<std::size_t>(i)].name;
    if (account.used == 0 && account.refunded == 0) {
      if (had_budgets) ledger.mutable_budgets()->erase(name);
      continue;
    }
    v1::BudgetUse& use = (*ledger.mutable_budgets())[name];
    use.set_used(CountOf(account.used));
    use.set_refunded(CountOf(account.refunded));
    if (account.window_start) {
      SetTime(*account.window_start, *use.mutable_window_start());
    } else {
      use.clear_window_start();
    }
  }
}

void ReportAccounts(const Accounts& accounts, v1::Accounting& accounting) {
  accounting.mutable_budgets()->Reserve(accounts.size());
  for (int i = 0; i < accounts.size(); ++i) {
    const Account& account = accounts.at(i);
    const CompiledBudget& budget =
        accounts.budgets()[static_cast<std::size_t>(i)];
    v1::BudgetState& state = *accounting.add_budgets();
    state.set_name(budget.name);
    state.set_used(CountOf(account.used));
    state.set_limit(CountOf(account.limit));
    state.set_remaining(
        CountOf(std::max<std::int64_t>(account.limit - account.used, 0)));
    state.set_used_before(CountOf(account.used_before));
    state.set_limit_source(budget.source);
    if (account.window_start && budget.window) {
      SetTime(*account.window_start + *budget.window,
              *state.mutable_window_ends_at());
    }
    if (account.refunded_now > 0) {
      (*accounting.mutable_refunds())[budget.name] =
          CountOf(account.refunded_now);
    }
  }
}

}  // namespace mulligan
