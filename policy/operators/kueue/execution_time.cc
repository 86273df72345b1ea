#include "policy/operators/kueue/execution_time.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {

ExecutionTime CheckExecutionTime(const Workload& workload, absl::Time now) {
  const WorkloadStatus& status = workload.status();
  if (!IsAdmitted(status) ||
      !workload.spec().has_maximum_execution_time_seconds()) {
    return {};
  }
  const std::int64_t limit = workload.spec().maximum_execution_time_seconds();
  const Condition& admitted = *FindCondition(status.conditions(), kAdmitted);
  const absl::Duration remaining =
      absl::Seconds(limit - status.accumulated_past_execution_time_seconds()) -
      (now - ToTime(admitted.last_transition_time()));
  if (remaining > absl::ZeroDuration()) return {remaining, std::nullopt, {}};
  if (IsTrue(status.conditions(), kDeactivationTarget)) return {};
  ExecutionTime used_up;
  used_up.status = status;
  SetCondition(kDeactivationTarget, true, kMaximumExecutionTimeExceeded,
               "exceeding the maximum execution time", now,
               *used_up.status.mutable_conditions());
  used_up.status.clear_accumulated_past_execution_time_seconds();
  used_up.event = Event{
      std::string(kWarningEvent), std::string(kMaximumExecutionTimeExceeded),
      absl::StrFormat("The maximum execution time (%ds) exceeded", limit)};
  return used_up;
}

}  // namespace mulligan::kueue
