#include "policy/operators/jobset/conditions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "google/protobuf/timestamp.pb.h"

namespace mulligan::jobset {
namespace {

using ::google::protobuf::Timestamp;

bool Exclude(std::string_view a, std::string_view b) {
  return (a == kStartupInProgress && b == kStartupCompleted) ||
         (a == kStartupCompleted && b == kStartupInProgress);
}

bool Replace(const Condition& condition, const Timestamp& now,
             Condition& existing) {
  if (existing.status() == condition.status()) {
    if (existing.reason() == condition.reason() &&
        existing.message() == condition.message()) {
      return false;
    }
    existing.set_reason(condition.reason());
    existing.set_message(condition.message());
    return true;
  }
  existing = condition;
  *existing.mutable_last_transition_time() = now;
  return true;
}

}  // namespace

const Condition* FindCondition(const Conditions& conditions,
                               std::string_view type) {
  const auto found = std::find_if(
      conditions.begin(), conditions.end(),
      [&](const Condition& condition) { return condition.type() == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsConditionTrue(const Conditions& conditions, std::string_view type) {
  const Condition* const condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status() == kTrue;
}

bool IsFinished(const JobSetStatus& status) {
  return !status.terminal_state().empty() ||
         IsConditionTrue(status.conditions(), kCompleted) ||
         IsConditionTrue(status.conditions(), kFailed);
}

bool UpdateCondition(const Condition& condition, const Timestamp& now,
                     Conditions& conditions) {
  bool found = false;
  bool updated = false;
  const bool becomes_true = condition.status() == kTrue;
  for (Condition& existing : conditions) {
    if (existing.type() == condition.type()) {
      found = true;
      updated |= Replace(condition, now, existing);
    } else if (becomes_true && existing.status() == kTrue &&
               Exclude(existing.type(), condition.type())) {
      existing.set_status(std::string(kFalse));
      updated = true;
    }
  }
  if (!found && becomes_true) {
    Condition& added = *conditions.Add();
    added = condition;
    *added.mutable_last_transition_time() = now;
    updated = true;
  }
  return updated;
}

void SetCondition(std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message,
                  StatusChange& change) {
  Condition condition;
  condition.set_type(std::string(type));
  condition.set_status(std::string(status));
  condition.set_reason(std::string(reason));
  condition.set_message(std::string(message));
  if (!UpdateCondition(condition, change.now,
                       *change.status.mutable_conditions())) {
    return;
  }
  change.updated = true;
  change.events.push_back({type == kFailed ? "Warning" : "Normal",
                           std::string(reason), std::string(message)});
}

void EndRestarting(std::string_view reason, std::string_view message,
                   StatusChange& change) {
  if (!change.restarting_condition) return;
  SetCondition(kRestarting, kFalse, reason, message, change);
}

void SetFailed(std::string_view reason, std::string_view message,
               StatusChange& change) {
  SetCondition(kFailed, kTrue, reason, message, change);
  change.status.set_terminal_state(std::string(kFailed));
  change.updated = true;
  EndRestarting("JobSetFailed", "jobset failed", change);
}

void SetCompleted(StatusChange& change) {
  constexpr std::string_view kMessage = "jobset completed successfully";
  SetCondition(kCompleted, kTrue, "AllJobsCompleted", kMessage, change);
  change.status.set_terminal_state(std::string(kCompleted));
  change.updated = true;
  EndRestarting("JobSetCompleted", kMessage, change);
}

void SetSuspended(bool suspended, StatusChange& change) {
  if (!suspended) {
    SetCondition(kSuspended, kFalse, "ResumeJobs", "jobset is resumed", change);
    return;
  }
  constexpr std::string_view kMessage = "jobset is suspended";
  SetCondition(kSuspended, kTrue, "SuspendedJobs", kMessage, change);
  EndRestarting("JobSetSuspended", kMessage, change);
}

}  // namespace mulligan::jobset
