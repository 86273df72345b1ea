#include "policy/operators/kubeflow/conditions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "google/protobuf/repeated_field.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan::kubeflow {
namespace {

using Conditions = google::protobuf::RepeatedPtrField<JobCondition>;

bool Removes(std::string_view added, std::string_view present) {
  return added == present || (added == kRestarting && present == kRunning) ||
         (added == kRunning && present == kRestarting);
}

Conditions WithoutThose(const Conditions& conditions, std::string_view added) {
  const bool ends = added == kFailed || added == kSucceeded;
  Conditions kept;
  for (const JobCondition& condition : conditions) {
    if (Removes(added, condition.type())) continue;
    JobCondition& copy = *kept.Add();
    copy = condition;
    if (ends && copy.type() == kRunning) copy.set_status(std::string(kFalse));
  }
  return kept;
}

}  // namespace

const JobCondition* FindCondition(const JobStatus& status,
                                  std::string_view type) {
  const auto& conditions = status.conditions();
  const auto found = std::find_if(
      conditions.begin(), conditions.end(),
      [&](const JobCondition& condition) { return condition.type() == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsConditionTrue(const JobStatus& status, std::string_view type) {
  const auto& conditions = status.conditions();
  return std::any_of(
      conditions.begin(), conditions.end(), [&](const JobCondition& condition) {
        return condition.type() == type && condition.status() == kTrue;
      });
}

bool IsFinished(const JobStatus& status) {
  return IsConditionTrue(status, kSucceeded) ||
         IsConditionTrue(status, kFailed);
}

void SetCondition(const NewCondition& condition,
                  const google::protobuf::Timestamp& now, JobStatus& status) {
  if (IsConditionTrue(status, kFailed)) return;
  const JobCondition* const present = FindCondition(status, condition.type);
  const bool same_status =
      present != nullptr && present->status() == condition.status;
  if (same_status && present->reason() == condition.reason) return;
  JobCondition added;
  added.set_type(std::string(condition.type));
  added.set_status(std::string(condition.status));
  added.set_reason(condition.reason);
  added.set_message(condition.message);
  *added.mutable_last_update_time() = now;
  *added.mutable_last_transition_time() =
      same_status ? present->last_transition_time() : now;
  *status.mutable_conditions() =
      WithoutThose(status.conditions(), condition.type);
  *status.add_conditions() = added;
}

}  // namespace mulligan::kubeflow
