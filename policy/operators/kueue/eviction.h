// What an eviction does to a Workload, and what is known of it afterwards.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Why a workload loses its admission.
struct Eviction {
  // Short form: "Deactivated", "PodsReadyTimeout", ...
  std::string reason;
  // Cause under the reason; may be empty.
  std::string cause;
  std::string message;
};

// What is reported about one eviction. Only a workload that held an admission
// is reported at all.
struct EvictionReport {
  Eviction eviction;
  // First one of this reason and cause in the life of the workload.
  bool first = false;
  Event event;
  // How long all pods had been ready. Absent: they were not.
  std::optional<absl::Duration> ready_for;
};

// reason + "DueTo" + cause, for a deactivation with a cause; else the reason:
// the condition shows no other cause.
std::string ConditionReason(const Eviction& eviction);

// Sets Evicted, resets the checks, forgets unhealthy nodes and clusters, and
// counts in schedulingStats. Quota and Admitted stay until the job has stopped.
// Absent: the workload held no admission.
std::optional<EvictionReport> Evict(const Eviction& eviction, absl::Time now,
                                    WorkloadStatus& status);

// A workload that went from holding quota back to pending after an eviction.
struct EvictionLatency {
  std::string cluster_queue;
  // Reason of Evicted.
  std::string reason;
  // From the eviction to `now`.
  absl::Duration latency;
};
// Absent: not such a transition. `before` may be null.
std::optional<EvictionLatency> LatencyOf(const WorkloadStatus* before,
                                         const WorkloadStatus& after,
                                         absl::Time now);

// Message of Preempted and Evicted for a preemption; empty parts read UNKNOWN.
struct Preemptor {
  std::string uid;
  std::string job_uid;
  // Reason of Preempted: "InClusterQueue", "InCohortReclamation", ...
  std::string reason;
  std::string preemptor_path;
  std::string preemptee_path;
};
std::string PreemptionMessage(const Preemptor& preemptor);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_
