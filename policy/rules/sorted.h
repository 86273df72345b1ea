// The one order of lists that are searched or compared.
#ifndef MULLIGAN_POLICY_RULES_SORTED_H_
#define MULLIGAN_POLICY_RULES_SORTED_H_

#include <algorithm>
#include <vector>

namespace mulligan {

// The values in ascending order, each once.
template <typename Field>
auto Sorted(const Field& values) {
  std::vector<typename Field::value_type> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_SORTED_H_
