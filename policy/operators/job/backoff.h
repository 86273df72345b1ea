// The delay before a replacement pod.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// Constants of the controller; not configurable in Kubernetes.
struct BackoffSettings {
  absl::Duration base = absl::Seconds(10);
  absl::Duration cap = absl::Minutes(10);
};

// What the controller remembers of a Job's failures, in memory only: a restart
// of the controller forgets it.
struct BackoffRecord {
  // Failures since the last success. Ignored failures are in it too.
  std::int64_t failures_after_last_success = 0;
  // When the latest of them finished. Absent: none is known.
  std::optional<absl::Time> last_failure;
};

// The record after pods that finished since `previous`. A success drops the
// old count; of the failures seen with it only those that finished after the
// latest success remain (at equal times the success wins).
BackoffRecord NextBackoffRecord(const BackoffRecord& previous,
                                const std::vector<absl::Time>& succeeded,
                                std::vector<absl::Time> failed);

// base * 2^(failures - 1), at most `cap`, less the time since `last_failure`;
// 0 without failures. The first failure waits `base` even if that is above
// `cap`. An absent `last_failure` is long ago.
absl::Duration RemainingBackoff(std::int64_t failures,
                                std::optional<absl::Time> last_failure,
                                absl::Time now,
                                const BackoffSettings& settings);

// The same for one completion index whose latest failed pod is
// `last_failed_pod`; null: it has not failed.
absl::Duration RemainingIndexBackoff(const Pod* last_failed_pod, absl::Time now,
                                     const Gates& gates,
                                     const BackoffSettings& settings);

// Which of the wanted indexes may get their pod now.
struct IndexesToCreate {
  std::vector<std::int64_t> now;
  // When `now` is empty: until the first may. Else 0.
  absl::Duration delay;
};
IndexesToCreate ReadyIndexes(
    const std::vector<std::int64_t>& wanted,
    const std::map<std::int64_t, const Pod*>& last_failed_pods, absl::Time now,
    const Gates& gates, const BackoffSettings& settings);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_BACKOFF_H_
