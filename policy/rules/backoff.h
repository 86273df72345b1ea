// How long a retry waits.
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

// The delay after the `charges`-th charge, before jitter: CONSTANT initial,
// LINEAR initial * n, EXPONENTIAL initial * factor^(n-1). Saturates at
// backoff.max for any number of charges; fewer than one counts as one.
absl::Duration BaseDelay(const CompiledBackoff& backoff, std::int64_t charges);

// BaseDelay spread over [delay * (1 - jitter), delay] by `identity`, a hash of
// the failure: the same failure waits equally long on every replica. Never
// more than backoff.max. Whole milliseconds from one on.
absl::Duration RetryDelay(const CompiledBackoff& backoff, std::int64_t charges,
                          std::uint64_t identity);

// `delay` spread likewise by `jitter`, 0 to 1.
absl::Duration Spread(absl::Duration delay, double jitter,
                      std::uint64_t identity);

// When a member of a failure that was decided about before is due, as long
// after its own end: RetryDelay, but that those who are decided about late, at
// `decided` after their end, are spread over as much time from then on.
absl::Duration MemberDelay(const CompiledBackoff& backoff, std::int64_t charges,
                           std::uint64_t identity, absl::Duration decided);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_BACKOFF_H_
