// Matches a failure with those already reported.
#ifndef MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_
#define MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_

#include <cstdint>

#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/failure_id.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"

namespace mulligan {

// A failure as one report shows it.
struct ReportedFailure {
  const Owners& owners;
  const v1::WorkloadReference& workload;
  const Failure& what;
  const FailureId& id;
  // The attempt number is above all recorded ones: only the id can match.
  bool new_attempt = false;
  // Failures that the operator has counted, including this one; -1 if it does
  // not count them.
  std::int64_t counted = -1;
};

// Returns the index in `ledger.history` of the record of this failure; -1 if it
// is new. The first that holds:
//
//   1. The record has its id.
//   2. The record has the id of another of its pods, because another member of
//      the gang was taken for the root.
//   3. The lifetimes overlap. Pods that ran when the recorded pod was hit are
//      part of the incident, unless it ended by itself more than half an hour
//      later (kIncidentSpan in policy/demystify/attempts.h). A root that works
//      alone matches only if it has no evidence but its end, within seconds of
//      the recorded end.
//   4. The failure or the record has no pods, and times and counters agree.
//      After an object failed for good, no part of it fails again. A counter
//      without a time is already known if the ledger has that many failures. A
//      passed deadline matches only a recorded deadline. An attempt that began
//      between the two ends failed by itself.
//
// 3 and 4 do not apply if the caller gave ids for both.
int FindKnown(const v1::BudgetLedger& ledger, const ReportedFailure& failure);

// Returns whether the record is of a pod and not only of its operator's status.
bool IsOfPod(const v1::AttemptRecord& record);

// Returns whether the cause leaves the failure unexplained.
bool IsUnexplained(v1::Cause cause);

// Returns whether the report knows less about the failure than its record: no
// pods, or an unexplained cause.
bool KnowsLess(const Failure& failure, const v1::AttemptRecord& record);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_
