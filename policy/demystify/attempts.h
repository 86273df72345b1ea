// Which failed pods are one attempt at the work.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_

#include <vector>

#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// A member that failed by itself this long after the first end of an incident
// did not die of it, although it was there: the timeouts by which the death of
// a peer is noticed are 10 to 30 minutes (NCCL, Gloo).
inline constexpr Seconds kIncidentSpan = 1800;

// What the objects above the pods say of their attempts.
struct OwnerAttempts {
  // The newest restart attempt of the JobSet; -1: none.
  int newest = -1;
  // The workload has failed for good.
  bool gave_up = false;
  // Failures before this time have been followed by another attempt; unknown:
  // nothing tells.
  Seconds retried_until = kUnknownTime;
  // The Job has counted every failed pod of the report, and as many as it wants
  // are active again.
  bool full = false;
};

OwnerAttempts OwnerAttemptsOf(const Owners& owners);

struct Attempts {
  struct Earlier {
    // Members, by their number in `members`.
    std::vector<int> pods;
    // No attempt before the one at hand but beside it: members that work for
    // themselves, and nobody took their place yet.
    bool open = false;
  };
  // Those that failed before the one at hand, oldest first.
  std::vector<Earlier> earlier;
  // Members of the attempt at hand: those that failed last, and whatever lives
  // or succeeded.
  std::vector<int> current;
};

// Rules, in this order:
//
//   1. Pods of a lower restart attempt than their JobSet has made, or another
//      of its pods, are of an earlier attempt, whatever their times.
//   2. Of two pods in one slot (Member.slot), the one that was created first,
//      by the API server's clock, ended first, or stands first in the report
//      where no time tells, is of an earlier one.
//   3. A pod that began when or after another had ended is of a later attempt.
//      Pods whose lifetimes overlap, or have no known times, are a gang.
//   4. Within a gang, who failed by itself more than kIncidentSpan after the
//      first end is another incident.
//      So are two that the ledger has as roots of different failures, whatever
//      pods of theirs are gone since.
//   5. Failed pods are an earlier attempt when a pod that lives or succeeded
//      took their place: in their slot or, where slots are not known, began
//      after all of them had ended; or when their Job is full again.
//   6. Members that work for themselves (Member.alone) are an incident each,
//   but
//      for those that say nothing and ended within kClockSkew of another. Of
//      several that are open the last one is at hand that is not decided yet,
//      else the last one.
//
// Times tie within a second: what begins in the second of an end began after
// it, unless the ended one began in that second too.
//
// With `owner.gave_up` the last failed attempt is the one at hand, whatever
// lives on, unless it has been retried.
Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
