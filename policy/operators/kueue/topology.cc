#include "policy/operators/kueue/topology.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace mulligan::kueue {

std::vector<std::string> HostNames(const TopologyAssignment& assignment) {
  const auto& levels = assignment.levels();
  if (levels.empty() || levels.rbegin()->compare("kubernetes.io/hostname")) {
    return {};
  }
  std::vector<std::string> names;
  for (const auto& domain : assignment.domains()) {
    if (!domain.values().empty()) names.push_back(*domain.values().rbegin());
  }
  for (const auto& slice : assignment.slices()) {
    if (slice.values_per_level().empty()) continue;
    const auto& lowest = *slice.values_per_level().rbegin();
    if (lowest.has_universal()) names.push_back(lowest.universal());
    const auto& individual = lowest.individual();
    for (const std::string& root : individual.roots()) {
      names.push_back(
          absl::StrCat(individual.prefix(), root, individual.suffix()));
    }
  }
  return names;
}

}  // namespace mulligan::kueue
