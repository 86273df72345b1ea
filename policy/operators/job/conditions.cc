#include "policy/operators/job/conditions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::job {

JobCondition MakeCondition(std::string_view type, std::string_view reason,
                           std::string_view message, absl::Time now) {
  JobCondition condition;
  condition.set_type(std::string(type));
  condition.set_status("True");
  *condition.mutable_last_probe_time() = TimestampOf(now);
  *condition.mutable_last_transition_time() = TimestampOf(now);
  condition.set_reason(std::string(reason));
  condition.set_message(std::string(message));
  return condition;
}

const JobCondition* FindTrue(const JobStatus& status, std::string_view type) {
  const auto& conditions = status.conditions();
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const auto& each) { return each.type() == type; });
  return found != conditions.end() && found->status() == "True" ? &*found
                                                                : nullptr;
}

bool IsFinished(const JobStatus& status) {
  return FindTrue(status, kFailed) != nullptr ||
         FindTrue(status, kComplete) != nullptr;
}

bool EnsureCondition(const JobCondition& condition, JobStatus& status) {
  for (JobCondition& each : *status.mutable_conditions()) {
    if (each.type() != condition.type()) continue;
    if (each.status() == condition.status() &&
        each.reason() == condition.reason() &&
        each.message() == condition.message()) {
      return false;
    }
    each = condition;
    return true;
  }
  if (condition.status() == "False") return false;
  *status.add_conditions() = condition;
  return true;
}

}  // namespace mulligan::job
