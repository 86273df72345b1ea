// The identity of a failure, by which it is charged once.
#ifndef MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
#define MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

struct FailureId {
  std::string id;
  // The id was derived from nothing but the time of the report, because no
  // UID, attempt number or finish time tells this failure from the next one.
  bool from_time_only = false;
};

// report.failure_id where given. Else a hash of the workload (UID, or kind,
// namespace and name), the attempt number if given, and the most specific of:
// pods (UID; per container the number of its terminations and the end of the
// last), Jobs, custom resources (attempt counters, ids and times in their
// status). Does not depend on the order of pods, Jobs or containers, nor on
// whether the kubelet has restarted the container meanwhile. Exactly the
// same failure must be reported with the same set of objects.
FailureId FailureIdOf(const v1::FailureReport& report,
                      const v1::WorkloadReference& workload,
                      absl::Time observed_at);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
