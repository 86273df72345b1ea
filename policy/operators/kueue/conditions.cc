#include "policy/operators/kueue/conditions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/base/times.h"

namespace mulligan::kueue {
namespace {

constexpr std::size_t kMaxConditionMessage = std::size_t{32} * 1024;

std::string TruncateMessage(std::string_view text) {
  constexpr std::string_view kEllipsis = " ...";
  if (text.size() <= kMaxConditionMessage) return std::string(text);
  std::string cut(text.substr(0, kMaxConditionMessage - kEllipsis.size()));
  return cut.append(kEllipsis);
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
  const Condition* const condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status() == "True";
}

void SetCondition(std::string_view type, bool status, std::string_view reason,
                  std::string_view message, absl::Time now,
                  Conditions& conditions) {
  Condition& condition = FindOrAdd(type, conditions);
  const std::string wanted = status ? "True" : "False";
  if (condition.status() != wanted) {
    SetTime(now, *condition.mutable_last_transition_time());
  }
  condition.set_status(wanted);
  condition.set_reason(std::string(reason));
  condition.set_message(TruncateMessage(message));
}

void RemoveCondition(std::string_view type, Conditions& conditions) {
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& condition) {
                                    return condition.type() == type;
                                  }),
                   conditions.end());
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

bool IsDeactivation(std::string_view reason) {
  return reason.starts_with(kDeactivated);
}

}  // namespace mulligan::kueue
