// Enumerations with the peer's names.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_NAMES_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_NAMES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace mulligan::flyte {

// The enumerator at the place of `name` in `names`, which are in the
// enumeration's order.
template <typename Enum, std::size_t size>
std::optional<Enum> EnumNamed(const std::array<std::string_view, size>& names,
                              std::string_view name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_NAMES_H_
