#include "policy/rules/backoff.h"

#include <algorithm>
#include <cmath>

namespace mulligan {

absl::Duration BaseDelay(const CompiledBackoff& backoff, std::int64_t charges) {
  if (charges <= 1) return std::min(backoff.initial, backoff.max);
  const double n = static_cast<double>(charges);
  double growth = 1;
  if (backoff.kind == v1::Backoff::LINEAR) {
    growth = n;
  } else if (backoff.kind == v1::Backoff::EXPONENTIAL) {
    growth = std::pow(backoff.factor, n - 1);
  }
  // Infinity times a duration is an infinite duration, so the minimum holds.
  return std::min(backoff.initial * growth, backoff.max);
}

absl::Duration Spread(absl::Duration delay, double jitter,
                      std::uint64_t identity) {
  // Delays are at most ten years, which fits in nanoseconds; integer arithmetic
  // is much faster than absl::Duration's.
  constexpr std::int64_t kMillisecond = 1'000'000;
  const std::int64_t max = absl::ToInt64Nanoseconds(delay);
  const auto min = static_cast<std::int64_t>(
      std::ceil(static_cast<double>(max) * (1 - jitter)));
  // A double holds 53 bits exactly, so all platforms agree.
  const double share = static_cast<double>(identity >> 11) * 0x1p-53;
  std::int64_t spread = max - static_cast<std::int64_t>(
                                  static_cast<double>(max) * jitter * share);
  if (spread == max) return delay;
  if (spread >= kMillisecond) spread -= spread % kMillisecond;
  return absl::Nanoseconds(std::clamp(spread, std::min(min, max), max));
}

absl::Duration RetryDelay(const CompiledBackoff& backoff, std::int64_t charges,
                          std::uint64_t identity) {
  return Spread(BaseDelay(backoff, charges), backoff.jitter, identity);
}

absl::Duration MemberDelay(const CompiledBackoff& backoff, std::int64_t charges,
                           std::uint64_t identity, absl::Duration decided) {
  const absl::Duration base = BaseDelay(backoff, charges);
  const absl::Duration min = base * (1 - backoff.jitter);
  return std::max(min, decided) +
         (Spread(base, backoff.jitter, identity) - min);
}

}  // namespace mulligan
