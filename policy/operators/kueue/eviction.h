// What an eviction does to a Workload.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_

#include <string>

#include "absl/time/time.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Why a workload loses its admission.
struct Eviction {
  // Short form: "Deactivated", "PodsReadyTimeout", ...
  std::string reason;
  // Cause under the reason; may be empty. Only a deactivation shows it, as
  // "DeactivatedDueTo" + cause.
  std::string cause;
  std::string message;
};

// Sets Evicted, resets the checks, forgets unhealthy nodes, and counts in
// schedulingStats. Quota and Admitted stay until the job has stopped.
void Evict(const Eviction& eviction, absl::Time now, WorkloadStatus& status);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_EVICTION_H_
