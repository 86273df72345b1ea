#include "policy/rules/outcome.h"

#include <algorithm>
#include <limits>

namespace mulligan {

int FindBudget(const std::vector<CompiledBudget>& budgets,
               std::string_view name) {
  const auto found =
      std::ranges::lower_bound(budgets, name, {}, &CompiledBudget::name);
  if (found == budgets.end() || found->name != name) return kNoBudget;
  return static_cast<int>(found - budgets.begin());
}

std::int32_t ImpliedMaxAttempts(const std::vector<CompiledBudget>& budgets) {
  std::int64_t sum = 1;
  for (const CompiledBudget& budget : budgets) {
    sum += budget.limit;
    if (budget.refund) sum += budget.refund->ceiling;
  }
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(sum, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace mulligan
