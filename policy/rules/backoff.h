// Delays before a retry.
#ifndef MULLIGAN_POLICY_RULES_BACKOFF_H_
#define MULLIGAN_POLICY_RULES_BACKOFF_H_

#include <cstdint>

#include "absl/time/time.h"
#include "mulligan/v1/policy.pb.h"

namespace mulligan {

struct CompiledBackoff {
  v1::Backoff::Kind kind = v1::Backoff::EXPONENTIAL;
  absl::Duration initial;
  absl::Duration max;
  double factor = 2;
  double jitter = 0.1;
};

// Returns the delay after the `charges`-th charge, before jitter: CONSTANT
// initial, LINEAR initial * n, EXPONENTIAL initial * factor^(n-1). Saturates at
// backoff.max; fewer than one charge counts as one.
absl::Duration BaseDelay(const CompiledBackoff& backoff, std::int64_t charges);

// Returns BaseDelay spread over [delay * (1 - jitter), delay] by `identity`, a
// hash of the failure, so that all replicas agree. At most backoff.max. If
// jitter shortens it to 1 ms or more, it is truncated to whole milliseconds.
absl::Duration RetryDelay(const CompiledBackoff& backoff, std::int64_t charges,
                          std::uint64_t identity);

// Returns `delay` spread in the same way by `jitter`, 0 to 1.
absl::Duration Spread(absl::Duration delay, double jitter,
                      std::uint64_t identity);

// Returns a member's delay, counted from the member's end. Its failure was
// decided `decided` after that end. It is RetryDelay, except that the interval
// of the jitter does not begin before the decision.
absl::Duration MemberDelay(const CompiledBackoff& backoff, std::int64_t charges,
                           std::uint64_t identity, absl::Duration decided);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_BACKOFF_H_
