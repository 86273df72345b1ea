#include "policy/operators/kueue/conditions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "policy/base/times.h"

namespace mulligan::kueue {
namespace {

constexpr std::size_t kMaxConditionMessage = std::size_t{32} * 1024;
constexpr std::size_t kMaxEventMessage = 1024;

std::string Truncate(std::string_view text, std::size_t limit) {
  constexpr std::string_view kEllipsis = " ...";
  if (text.size() <= limit) return std::string(text);
  std::string cut(text.substr(0, limit - kEllipsis.size()));
  return cut.append(kEllipsis);
}

bool HasStatus(const Conditions& conditions, std::string_view type,
               std::string_view status) {
  const Condition* const condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status() == status;
}

Condition& FindOrAdd(std::string_view type, Conditions& conditions) {
  for (Condition& condition : conditions) {
    if (condition.type() == type) return condition;
  }
  Condition& added = *conditions.Add();
  added.set_type(std::string(type));
  return added;
}

}  // namespace

const Condition* FindCondition(const Conditions& conditions,
                               std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type() == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const Conditions& conditions, std::string_view type) {
  return HasStatus(conditions, type, "True");
}

bool IsFalse(const Conditions& conditions, std::string_view type) {
  return HasStatus(conditions, type, "False");
}

bool SetCondition(std::string_view type, bool status, std::string_view reason,
                  std::string_view message, absl::Time now,
                  Conditions& conditions) {
  const std::string text = ConditionMessage(message);
  Condition& condition = FindOrAdd(type, conditions);
  const std::string wanted = status ? "True" : "False";
  const bool moved = condition.status() != wanted;
  if (!moved && condition.reason() == reason && condition.message() == text) {
    return false;
  }
  if (moved) SetTime(now, *condition.mutable_last_transition_time());
  condition.set_status(wanted);
  condition.set_reason(std::string(reason));
  condition.set_message(text);
  return true;
}

bool RemoveCondition(std::string_view type, Conditions& conditions) {
  const auto first = std::remove_if(
      conditions.begin(), conditions.end(),
      [&](const Condition& condition) { return condition.type() == type; });
  const bool removed = first != conditions.end();
  conditions.erase(first, conditions.end());
  return removed;
}

std::string ConditionMessage(std::string_view message) {
  return Truncate(message, kMaxConditionMessage);
}

std::string EventMessage(std::string_view message) {
  return Truncate(message, kMaxEventMessage);
}

bool IsActive(const Workload& workload) {
  return !workload.spec().has_active() || workload.spec().active();
}

bool IsFinished(const WorkloadStatus& status) {
  return IsTrue(status.conditions(), kFinished);
}

bool IsAdmitted(const WorkloadStatus& status) {
  return IsTrue(status.conditions(), kAdmitted);
}

bool HasQuotaReservation(const WorkloadStatus& status) {
  return IsTrue(status.conditions(), kQuotaReserved);
}

bool IsEvicted(const WorkloadStatus& status) {
  return IsTrue(status.conditions(), kEvicted);
}

bool IsOnHold(const WorkloadStatus& status) {
  const Condition* const quota =
      FindCondition(status.conditions(), kQuotaReserved);
  return quota != nullptr && quota->status() == "False" &&
         quota->reason() == "OnHold";
}

bool IsPending(const WorkloadStatus& status) {
  return !IsFinished(status) && !IsAdmitted(status) &&
         !HasQuotaReservation(status);
}

const Condition* EvictedFor(std::string_view reason,
                            const WorkloadStatus& status) {
  const Condition* const evicted = FindCondition(status.conditions(), kEvicted);
  return evicted != nullptr && evicted->status() == "True" &&
                 evicted->reason() == reason
             ? evicted
             : nullptr;
}

bool IsDeactivation(std::string_view reason) {
  return reason.starts_with(kDeactivated);
}

bool IsDeactivationByKueue(std::string_view reason) {
  return reason.starts_with("DeactivatedDueTo");
}

}  // namespace mulligan::kueue
