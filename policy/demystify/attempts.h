// Which attempt was that? Lifetimes tell a gang from a sequence.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_

#include <vector>

#include "policy/demystify/member.h"

namespace mulligan::demystify {

// A member that failed by itself this long after the first end of an incident
// did not die of it, although it was there: the timeouts by which the death of
// a peer is noticed are 10 to 30 minutes (NCCL, Gloo).
inline constexpr Seconds kIncidentSpan = 1800;

struct Attempts {
  // Members of each attempt that failed before the one at hand, oldest first,
  // by their number in `members`.
  std::vector<std::vector<int>> earlier;
  // Members of the attempt at hand: those that failed last, and whatever lives
  // or succeeded.
  std::vector<int> current;
  // Every failed attempt is an earlier one: its successor lives or succeeded.
  bool moved_on = false;
};

// Rules, in this order:
//
//   1. Pods of a lower restart attempt of their JobSet are of an earlier
//      attempt, whatever their times.
//   2. Of two pods in one slot (Member.slot), the one that ended first, or
//      stands first in the report where no time tells, is of an earlier one.
//   3. A pod that began when or after another had ended is of a later attempt.
//      Pods whose lifetimes overlap, or have no known times, are a gang.
//   4. Within a gang, who failed by itself more than kIncidentSpan after the
//      first end is another incident.
//   5. Failed pods are an earlier attempt when a pod that lives or succeeded
//      took their place: in their slot or, where slots are not known, began
//      after all of them had ended.
//
// Times tie within a second: what begins in the second of an end began after
// it, unless the ended one began in that second too.
//
// With `gave_up` the workload has failed for good: the last failed attempt is
// the one at hand, whatever lives on.
Attempts SplitAttempts(const std::vector<Member>& members, bool gave_up);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
