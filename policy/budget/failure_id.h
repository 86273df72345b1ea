// The identity of a failure, by which it is charged once.
#ifndef MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
#define MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/demystify.h"
#include "policy/request/workload_view.h"

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

// A failure as one report tells it.
struct ToldFailure {
  const Owners& owners;
  const v1::WorkloadReference& workload;
  const Incident& incident;
  const FailureId& id;
  // What it was diagnosed as.
  v1::Cause cause;
  // When it ended; absent: not known.
  const google::protobuf::Timestamp& finished_at;
  // The attempt number was given, and is higher than every recorded one: then
  // only the id can make it a known failure.
  bool new_attempt = false;
  // Failures that the operator has counted, this one included; -1: it does
  // not count, or not what is told here.
  std::int64_t counted = -1;
};

// Index in `ledger.history` of the record of this failure; -1 when it is new.
// The first that holds:
//
//   1. the record has its id
//   2. the record has the id of one of its other pods: another member of the
//      gang was taken for the root then
//   3. the lifetimes overlap: whatever lived when the recorded pod was struck
//      is of the same incident, unless it ended by itself more than half an
//      hour later (kIncidentSpan in policy/demystify/attempts.h)
//   4. one of both was told without pods, and the times and counters agree. A
//      counter without a time that shows no more than the ledger has tells
//      nothing new; a deadline that passed is told by nobody's end
//
// For a root that works for itself 3 is that it says no more than that it
// ended, within seconds of the recorded one.
//
// 3 and 4 hold for records that the caller did not name, or reports in which it
// names none.
int FindKnown(const v1::BudgetLedger& ledger, const ToldFailure& failure);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_FAILURE_ID_H_
