#include "policy/operators/kueue/backoff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace mulligan::kueue {
namespace {

constexpr std::int64_t kMaxNanos = std::numeric_limits<std::int64_t>::max();

// Go converts through float64, and so do we, bit for bit.
std::int64_t Scaled(std::int64_t nanos, double factor) {
  const double scaled = static_cast<double>(nanos) * factor;
  constexpr double kBound = 9.2e18;
  if (!(scaled < kBound)) return kMaxNanos;
  return scaled > 0 ? static_cast<std::int64_t>(scaled) : 0;
}

std::int64_t CapNanos(const Backoff& backoff) {
  if (backoff.cap > absl::ZeroDuration()) {
    return absl::ToInt64Nanoseconds(backoff.cap);
  }
  const double divisor = std::clamp(std::ceil(backoff.factor), 1.0, 1e18);
  return kMaxNanos / static_cast<std::int64_t>(divisor);
}

}  // namespace

absl::Duration EffectiveCap(const Backoff& backoff) {
  return absl::Nanoseconds(CapNanos(backoff));
}

absl::Duration WaitBefore(std::int64_t n, const Backoff& backoff) {
  if (n <= 0) return absl::ZeroDuration();
  std::int64_t wait =
      std::max<std::int64_t>(0, absl::ToInt64Nanoseconds(backoff.base));
  const std::int64_t cap = CapNanos(backoff);
  for (std::int64_t step = 1; step < n; ++step) {
    const std::int64_t next = backoff.factor == 0
                                  ? wait
                                  : std::min(cap, Scaled(wait, backoff.factor));
    if (next == wait) break;
    wait = next;
    if (wait == cap) break;
  }
  return absl::Nanoseconds(wait);
}

}  // namespace mulligan::kueue
