// Conditions of custom resources as Flyte's plugins read them.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_CONDITION_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_CONDITION_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/flyte/types.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::flyte {

// What the plugins read of any operator's condition.
struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  absl::Time last_update = job::ZeroTime();
  absl::Time last_transition = job::ZeroTime();
};
using Conditions = std::vector<Condition>;

// From any of the mirrors' conditions.
template <typename Mirrors>
Conditions ConditionsFrom(const Mirrors& mirrors) {
  Conditions conditions;
  for (const auto& mirror : mirrors) {
    Condition condition;
    condition.type = mirror.type();
    condition.status = mirror.status();
    condition.reason = mirror.reason();
    condition.message = mirror.message();
    if (mirror.has_last_transition_time()) {
      condition.last_transition = job::TimeOf(mirror.last_transition_time());
    }
    conditions.push_back(condition);
  }
  return conditions;
}

// Latest transition first; equal times keep their order.
inline void SortNewestFirst(Conditions& conditions) {
  std::stable_sort(conditions.begin(), conditions.end(),
                   [](const Condition& a, const Condition& b) {
                     return a.last_transition > b.last_transition;
                   });
}

// The first with status True, or null.
inline const Condition* FirstTrue(const Conditions& conditions) {
  const auto found = std::find_if(
      conditions.begin(), conditions.end(),
      [](const Condition& condition) { return condition.status == kTrue; });
  return found == conditions.end() ? nullptr : &*found;
}

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_CONDITION_H_
