// Plain pods under Kueue, alone or as a group: when they are finished.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_POD_GROUP_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_POD_GROUP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/operators/kueue/jobs.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

struct PodGroup {
  // Number of pods of the group; absent: a single plain pod.
  std::optional<std::int64_t> total_count;
  std::vector<const Pod*> pods;
};

// A group succeeds when enough pods have, or when nothing is left to run and a
// pod is marked as not retriable; it never fails. A single pod ends as its
// phase says.
std::optional<JobEnd> EndOf(const PodGroup& group);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_POD_GROUP_H_
