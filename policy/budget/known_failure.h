// Whether a failure was told before.
#ifndef MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_
#define MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_

#include <cstdint>

#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/failure_id.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"

namespace mulligan {

// A failure as one report tells it.
struct ToldFailure {
  const Owners& owners;
  const v1::WorkloadReference& workload;
  const Failure& what;
  const FailureId& id;
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
//   4. one of both was told without pods, and the times and counters agree.
//      Since an object failed for good nothing of it fails anew. A
//      counter without a time that shows no more than the ledger has tells
//      nothing new; a deadline that passed is told by nobody's end; an attempt
//      that began between the two ends has failed by itself
//
// For a root that works for itself 3 is that it says no more than that it
// ended, within seconds of the recorded one.
//
// 3 and 4 hold for records that the caller did not name, or reports in which it
// names none.
int FindKnown(const v1::BudgetLedger& ledger, const ToldFailure& failure);

// What nobody has explained; anything else says more.
bool IsUnexplained(v1::Cause cause);

// Whether a failure is told with less than was known when the record of it was
// made: without its pods, or by a guess.
bool TellsLess(const Failure& failure, const v1::AttemptRecord& record);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_KNOWN_FAILURE_H_
