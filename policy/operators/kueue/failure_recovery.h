// Kueue's failure recovery policy (alpha, off by default): pods that cannot
// finish terminating on an unreachable node are deleted by force when their
// owner allowed it.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_FAILURE_RECOVERY_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_FAILURE_RECOVERY_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Annotation by which an owner allows it, with the value "true".
inline constexpr std::string_view kSafeToDelete =
    "kueue.x-k8s.io/safe-to-forcefully-delete";

// Under deletion, and its owner allows it.
bool MayBeForcefullyDeleted(const Pod& pod);
// Tainted node.kubernetes.io/unreachable.
bool IsUnreachable(const Node& node);

// Whether an update of the object makes the controller look. Before a creation
// there is no `before`; deletions never do.
bool PodUpdateCounts(const Pod* before, const Pod& after);
bool NodeUpdateCounts(const Node* before, const Node& after);

struct Recovery {
  // Set when the pod is deleted by force; then its phase is Failed, unless it
  // had ended before.
  std::optional<PodCondition> condition;
  std::optional<Event> event;
  // When to look again; 0: not by itself.
  absl::Duration requeue_after;
};

// 60 s after the end of the pod's own grace period. `node` is null for a node
// that does not exist.
Recovery RecoverPod(const Pod& pod, const Node* node, absl::Time now);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_FAILURE_RECOVERY_H_
