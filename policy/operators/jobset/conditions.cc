#include "policy/operators/jobset/conditions.h"

#include <algorithm>
#include <string_view>

namespace mulligan::jobset {

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

}  // namespace mulligan::jobset
