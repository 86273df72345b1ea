// The identity of a failure, by which it is charged once.
#ifndef MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
#define MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_

#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"

namespace mulligan {

struct FailureId {
  std::string id;
  // The caller named it.
  bool named = false;
  // The id was derived from nothing but the time of the report, because no
  // UID, attempt number or finish time tells this failure from the next one.
  bool from_time_only = false;
};

// report.failure_id where given. Else a hash of the workload (UID, or kind,
// namespace and name), the attempt number if given, and what tells this
// failure from every other one of the workload:
//
//   1. a pod failed: the root of `incident`, by its UID and the run of its
//      containers that ended or is about to end. Not by what else is in the
//      report, so that a pod told alone is the same beside its JobSet; nor by
//      how much of the end it tells: marked, stopping, ended; nor by whether
//      the kubelet has restarted the container meanwhile.
//   2. else the Jobs, or else the custom resources (attempt counters, ids and
//      times in their status), or else the event that tells of it.
FailureId FailureIdOf(const Owners& owners,
                      const v1::WorkloadReference& workload,
                      const Incident& incident, absl::Time observed_at);

// The id that the failure would have if pods[pod] were its root.
std::string IdOfPod(const Owners& owners, const v1::WorkloadReference& workload,
                    int pod);

// The same as releases up to 0.1 made it, with the workload: ledgers outlive
// them.
std::string IdWithWorkload(const Owners& owners,
                           const v1::WorkloadReference& workload, int pod);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
