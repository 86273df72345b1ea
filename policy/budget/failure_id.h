// The identity of a failure, by which it is charged exactly once.
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
  // The caller supplied the id.
  bool named = false;
  // Only the time of the report distinguishes the failure, because there is no
  // UID, attempt number or finish time.
  bool from_time_only = false;
};

// Returns report.failure_id if set. Otherwise returns a hash of the workload
// (UID, or kind, namespace and name), the attempt number if given, and what
// distinguishes the failure:
//
//   1. If a pod failed: the root of `incident`, by its UID and the run of its
//      containers that ended or is about to end. The rest of the report does
//      not matter, so that a pod reported alone has the same id as with its
//      JobSet. Nor does the stage of the end (marked, stopping, ended) or a
//      restart by the kubelet.
//   2. Otherwise: the Jobs and custom resources (attempt counters, ids and
//      times in their status), or else the event that reports it.
FailureId FailureIdOf(const Owners& owners,
                      const v1::WorkloadReference& workload,
                      const Incident& incident, absl::Time observed_at);

// Returns the id that the failure would have if pods[pod] were its root.
std::string IdOfPod(const Owners& owners, const v1::WorkloadReference& workload,
                    int pod);

// Returns the id that releases up to 0.1 gave to that failure. It includes the
// workload. Still needed because ledgers outlive releases.
std::string IdWithWorkload(const Owners& owners,
                           const v1::WorkloadReference& workload, int pod);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
