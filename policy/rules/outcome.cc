#include "policy/rules/outcome.h"

#include <algorithm>

namespace mulligan {

int FindBudget(const std::vector<CompiledBudget>& budgets,
               std::string_view name) {
  const auto found =
      std::ranges::lower_bound(budgets, name, {}, &CompiledBudget::name);
  if (found == budgets.end() || found->name != name) return kNoBudget;
  return static_cast<int>(found - budgets.begin());
}

}  // namespace mulligan
