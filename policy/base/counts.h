// Counts in messages.
#ifndef MULLIGAN_POLICY_BASE_COUNTS_H_
#define MULLIGAN_POLICY_BASE_COUNTS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mulligan {

// Clamps to int32: sums of numbers that callers send may overflow it.
constexpr std::int32_t CountOf(std::int64_t number) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number, std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()));
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_COUNTS_H_
