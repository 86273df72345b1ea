// Divides failed pods into attempts at the work.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_

#include <vector>

#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Seconds after an incident's first end. A member that fails by itself later
// did not die of it, even if it was running: timeouts that detect a peer's
// death take 10 to 30 minutes (NCCL, Gloo).
inline constexpr Seconds kIncidentSpan = 1800;

// What the objects above the pods say about their attempts.
struct OwnerAttempts {
  // The newest restart attempt of the JobSet; -1 if none.
  int newest = -1;
  // The workload has failed for good.
  bool gave_up = false;
  // Another attempt followed the failures before this time, if known.
  Seconds retried_until = kUnknownTime;
  // The Job has counted every failed pod in the report and has as many active
  // pods as it wants.
  bool full = false;
};

OwnerAttempts OwnerAttemptsOf(const Owners& owners);

struct Attempts {
  struct Earlier {
    // Indexes into `members`.
    std::vector<int> pods;
    // Open rather than past: its members work alone, and none was replaced.
    bool open = false;
  };
  // The failures other than the current one, oldest first.
  std::vector<Earlier> earlier;
  // Members of the current attempt: those that failed last, live or succeeded.
  std::vector<int> current;
};

// Splits the members by these rules, in order:
//
//   1. Pods with a lower restart attempt than their JobSet or another of its
//      pods belong to an earlier attempt, regardless of their times.
//   2. Of two pods in one slot (Member.slot), one belongs to an earlier
//      attempt: the one created first by the API server's clock, else ended
//      first, else first in the report.
//   3. A pod that began when or after another ended belongs to a later attempt.
//      Pods whose lifetimes overlap or are unknown are a gang.
//   4. In a gang, a member that failed by itself more than kIncidentSpan after
//      the first end is another incident. So are two roots of different
//      failures in the ledger.
//   5. Failed pods are an earlier attempt if pods that live or succeeded
//      replaced them: in their slot or, without known slots, by beginning after
//      all had ended. So are they if their Job has all its pods again.
//   6. Each member that works alone (Member.alone) is an incident, unless it
//      shows no reason and ended within kClockSkew of another. Of several open
//      incidents, the last without a decision is current, else the last.
//
// Times have a resolution of one second. A member that began in the second in
// which another ended counts as later, unless the other began in that second
// too, or both are of one restart of a JobSet and in different slots.
//
// If `owner.gave_up`, the last failed attempt is current even if pods still
// run, unless it was retried.
Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_ATTEMPTS_H_
