// spec.maximumExecutionTimeSeconds.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_EXECUTION_TIME_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_EXECUTION_TIME_H_

#include <optional>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

struct ExecutionTime {
  // What is left; 0: used up, or no limit, or not admitted.
  absl::Duration remaining;
  // Set when this pass finds it used up: then `status` has DeactivationTarget
  // and no accumulated time any more.
  std::optional<Event> event;
  WorkloadStatus status;
};

// The limit minus the time of earlier admissions (whole seconds) and of this
// one. It measures admission, not running pods, and preemption does not refill
// it.
ExecutionTime CheckExecutionTime(const Workload& workload, absl::Time now);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_EXECUTION_TIME_H_
