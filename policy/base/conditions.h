// Conditions of objects.
#ifndef MULLIGAN_POLICY_BASE_CONDITIONS_H_
#define MULLIGAN_POLICY_BASE_CONDITIONS_H_

#include <algorithm>
#include <string_view>

namespace mulligan {

// Whether a condition of the type is True.
template <typename Conditions>
bool IsTrue(const Conditions& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [type](const auto& condition) {
    return condition.type() == type && condition.status() == "True";
  });
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_CONDITIONS_H_
