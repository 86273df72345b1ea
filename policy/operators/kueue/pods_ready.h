// Readiness of an admitted workload and its clock.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_PODS_READY_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_PODS_READY_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

struct ReadinessClock {
  // "WaitForStart" or "WaitForRecovery"; empty: no clock runs.
  std::string cause;
  // 0: the timeout is over, or no clock runs.
  absl::Duration remaining;
};

// The clock of a workload that is admitted but not ready: from its admission
// while it starts, from the loss of readiness while it recovers. Without
// `settings` there is none.
ReadinessClock ClockOf(const WorkloadStatus& status,
                       const std::optional<WaitForPodsReady>& settings,
                       absl::Time now);

// Sets PodsReady from what the job says of its pods. A workload that lost its
// admission waits for its start again.
bool SetPodsReady(bool job_is_ready, absl::Time now, WorkloadStatus& status);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_PODS_READY_H_
