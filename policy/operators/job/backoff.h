// The delay before a replacement pod.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_

#include <cstdint>

#include "absl/time/time.h"
#include "policy/operators/job/settings.h"

namespace mulligan::job {

// 10 s * 2^(failures - 1), at most 10 min (constants of the controller), less
// the time since `last_failure`; 0 without failures.
absl::Duration RemainingBackoff(std::int64_t failures, absl::Time last_failure,
                                absl::Time now);

// How long the replacement of the failed pod waits: under limits per index by
// the failures of its index, else by those of the Job that finished after its
// last success, and then 1 s at least. Ignored failures count. 0: it comes at
// once.
//
// The controller remembers failures in memory only and forgets a pod that is
// gone when it restarts, so they are read off `pods`. Failures counted in the
// status whose pods are not among them happened before, too, as long as no
// success is known that may have come in between.
absl::Duration ReplacementDelay(const Job& job, const Pods& pods,
                                const Pod& failed, const Gates& gates,
                                absl::Time now);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_
