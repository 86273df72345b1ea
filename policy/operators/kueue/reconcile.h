// What the Workload controller (Kueue 0.19) makes of a workload, as far as it
// decides about its failure.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_

#include <array>
#include <string>

#include "absl/time/time.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/workload.h"

namespace mulligan::kueue {

// A queue, as far as it stops workloads.
struct Queue {
  // "LocalQueue" or "ClusterQueue".
  std::string kind;
  std::string name;
  // "None", "Hold" or "HoldAndDrain"; empty: not known, so it stops nothing
  // and starts nothing.
  std::string stop_policy;

  // Why it evicts: "LocalQueueStopped".
  std::string Reason() const { return kind + "Stopped"; }
  bool IsStopped() const {
    return !stop_policy.empty() && stop_policy != "None";
  }
};

// What the controller looks at beside the workload.
struct World {
  const WaitForPodsReady& wait_for_pods_ready;
  // In the order in which they are looked at.
  std::array<Queue, 2> queues;
  const Gates& gates;
  absl::Time now;
};

// Passes of the controller until nothing changes any more, or until the
// workload is evicted for good: a requeueAt that keeps the controller from
// looking on is waited for before that. The job behind the workload does not
// move meanwhile: an evicted workload keeps its quota, and its clocks go on.
void Settle(World world, Workload& workload);

// How long until readiness or execution time run out; 0: no clock runs.
absl::Duration NextTimeout(const World& world, const Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_RECONCILE_H_
