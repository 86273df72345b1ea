// How long Kueue waits before the n-th try (pkg/util/wait of Kueue 0.19, over
// the backoff of k8s.io/apimachinery).
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_BACKOFF_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_BACKOFF_H_

#include <cstdint>

#include "absl/time/time.h"

namespace mulligan::kueue {

struct Backoff {
  absl::Duration base;
  // No more than this from the second try on: the first one always waits
  // `base`. Zero or less: no cap, only what fits Go's durations.
  absl::Duration cap;
  double factor = 2;
  // Share of the wait that is added at random, after the cap.
  double jitter = 0.0001;
};

// The wait before try `n`, without jitter; 0 before try 0 and earlier.
absl::Duration WaitBefore(std::int64_t n, const Backoff& backoff);

// The cap in force: `cap`, or the largest duration of Go divided by the factor
// rounded up.
absl::Duration EffectiveCap(const Backoff& backoff);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_BACKOFF_H_
