#include "policy/rules/backoff.h"

#include <algorithm>
#include <cmath>

namespace mulligan {

absl::Duration BaseDelay(const CompiledBackoff& backoff, std::int64_t charges) {
  const double n = static_cast<double>(std::max<std::int64_t>(charges, 1));
  double growth = 1;
  if (backoff.kind == v1::Backoff::LINEAR) {
    growth = n;
  } else if (backoff.kind == v1::Backoff::EXPONENTIAL) {
    growth = std::pow(backoff.factor, n - 1);
  }
  // Infinity times a duration is an infinite duration: the minimum holds.
  return std::min(backoff.initial * growth, backoff.max);
}

absl::Duration Spread(absl::Duration delay, double jitter,
                      std::uint64_t identity) {
  // 53 bits: what a double holds exactly, so every platform agrees.
  const double share = std::ldexp(static_cast<double>(identity >> 11), -53);
  const absl::Duration spread = delay - delay * (jitter * share);
  if (spread < absl::Seconds(1) || spread == delay) return spread;
  return std::max(absl::Floor(spread, absl::Milliseconds(1)),
                  delay * (1 - jitter));
}

absl::Duration RetryDelay(const CompiledBackoff& backoff, std::int64_t charges,
                          std::uint64_t identity) {
  return Spread(BaseDelay(backoff, charges), backoff.jitter, identity);
}

}  // namespace mulligan
