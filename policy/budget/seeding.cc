#include "policy/budget/seeding.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/budget/history.h"
#include "policy/limits.h"
#include "policy/rules/outcome.h"

namespace mulligan {

std::string RememberNativeCount(const NativeCount& count,
                                v1::BudgetLedger& ledger) {
  if (count.counted < 0) return {};
  const auto now = static_cast<std::int32_t>(
      std::min<std::int64_t>(count.counted, kMaxLedgerCount));
  const std::int32_t before = ledger.native_count();
  ledger.set_native_count(now);
  if (now >= before) return {};
  return absl::StrFormat(
      "%s: the operator counted %d failed attempts before and %d now, as when "
      "its object is recreated; the ledger continues from %d",
      count.source, before, now, ledger.attempts_seen());
}

int BudgetOfOneMore(const CompiledPolicy& policy,
                    const v1::BudgetLedger& ledger,
                    std::string_view fingerprint, int otherwise) {
  const auto payer = PayerOfCounted(ledger, fingerprint);
  if (payer && payer->empty()) return kNoBudget;
  const int known = payer ? FindBudget(policy.budgets, *payer) : kNoBudget;
  return known != kNoBudget ? known : otherwise;
}

int SeedBudget(const CompiledPolicy& policy) {
  for (const char* const name : {"unexplained", "application"}) {
    const int budget = FindBudget(policy.budgets, name);
    if (budget != kNoBudget) return budget;
  }
  return policy.fallback.budget;
}

std::string SeedLedger(const NativeCount& count, std::int32_t missing,
                       int budget, const std::vector<CompiledBudget>& budgets,
                       v1::BudgetLedger& ledger) {
  const bool first = ledger.attempts_seen() == 0;
  ledger.set_attempts_seen(std::max(
      ledger.attempts_seen(),
      static_cast<std::int32_t>(std::min<std::int64_t>(
          std::int64_t{ledger.attempts_seen()} + missing, kMaxLedgerCount))));
  if (ledger.seeded_from().empty()) ledger.set_seeded_from(count.source);
  const bool one = missing == 1;
  const std::string failures =
      absl::StrFormat("%s counts %d earlier %s that %s", count.source, missing,
                      one ? "failure" : "failures",
                      first ? "no ledger has" : "the ledger lacks");
  if (budget == kNoBudget) {
    return absl::StrCat(failures, ": counted as ",
                        one ? "an attempt" : "attempts",
                        "; no budget is charged");
  }
  const CompiledBudget& charged = budgets[static_cast<std::size_t>(budget)];
  v1::BudgetUse& use = (*ledger.mutable_budgets())[charged.name];
  // Failures without a description never take the last unit of a budget. They
  // may have any cause, and must not end work at its first known failure.
  use.set_used(CountOf(std::max<std::int64_t>(
      use.used(), std::min<std::int64_t>(std::int64_t{use.used()} + missing,
                                         std::int64_t{charged.limit} - 1))));
  return absl::StrFormat("%s: charged to budget \"%s\", regardless of %s",
                         failures, charged.name,
                         one ? "its cause" : "their causes");
}

}  // namespace mulligan
