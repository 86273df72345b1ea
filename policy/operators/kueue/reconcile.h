// One pass of the Workload controller (Kueue 0.19).
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/kueue/eviction.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// A ClusterQueue or LocalQueue, as far as it stops workloads.
struct Queue {
  std::string name;
  // "None", "Hold" or "HoldAndDrain"; empty means None.
  std::string stop_policy;
  // Missing or being deleted.
  bool missing = false;
  bool terminating = false;
  // Only a ClusterQueue: the checks it demands. Absent: not known, so the
  // workload keeps the checks it has.
  std::optional<std::vector<std::string>> admission_checks;
};

struct PassInput {
  const Workload& workload;
  // Absent: readiness is not waited for.
  std::optional<WaitForPodsReady> wait_for_pods_ready;
  // Absent: nothing is known of the queue, so it stops nothing and starts
  // nothing.
  std::optional<Queue> local_queue;
  std::optional<Queue> cluster_queue;
  Gates gates;
  absl::Time now;
};

// What a pass amounts to.
inline constexpr std::string_view kNoAction = "None";
// Kueue gives the workload up: first as a target, then with spec.active false.
inline constexpr std::string_view kDeactivateAction = "Deactivate";
inline constexpr std::string_view kEvictAction = "Evict";
// A readiness timeout within the limit.
inline constexpr std::string_view kEvictWithBackoffAction =
    "EvictAndRequeueWithBackoff";

struct Pass {
  std::string action{kNoAction};
  // The workload after the pass.
  Workload workload;
  // When the controller looks again by itself; 0: only when something changes.
  absl::Duration requeue_after;
  std::vector<Event> events;
  // Set when the workload was evicted and had held an admission.
  std::optional<EvictionReport> report;
};

// The first of these that changes anything ends the pass:
//   finished                         nothing
//   a check that retries later       requeueAt moves
//   DeactivationTarget               spec.active turns false
//   requeueAt in the future          wait
//   backoff over, queue restarted,   Requeued turns True
//   active again
//   not active                       evicted, requeueState cleared
//   checks, stopped queues, not ready in time, maximum execution time
Pass Reconcile(const PassInput& input);

// Passes from `input` on, each at the moment the one before asked for, until
// nothing changes any more. The job stops at once after an eviction. At most
// `limit` passes.
struct Settled {
  Workload workload;
  // Events and evictions of all passes, in order.
  std::vector<Event> events;
  std::vector<EvictionReport> reports;
  // Whether a pass set or moved requeueAt.
  bool requeue_at_set = false;
  // When the last pass ran.
  absl::Time now;
};
Settled Settle(PassInput input, bool single_pod, int limit = 20);

// Whether the queue would take the workload as it is.
bool IsQueued(const Workload& workload, absl::Time now);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_
