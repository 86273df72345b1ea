// The pods of a report as members of the workload: when each lived and how it
// ended, and which attempt it belongs to.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policy/demystify/causes.h"
#include "policy/demystify/context.h"
#include "policy/demystify/demystify.h"
#include "policy/demystify/readers/readers.h"

namespace mulligan::demystify {

struct Member {
  PodReading reading;
  // Its lifetime: from its creation, or the start of the container's last run
  // if that was restarted, to the end of the deciding container. Unknown where
  // the report has no times; an end is known only for members that failed or
  // succeeded.
  Seconds begin = kUnknownTime;
  Seconds end = kUnknownTime;
  // When what ended it struck: the mark before the end (PodState.marked), else
  // the end. Its successor may begin then, while it has its grace period still
  // to run. Never later than its successor was created.
  Seconds struck = kUnknownTime;
  // jobset.sigs.k8s.io/restart-attempt; -1: not of a JobSet.
  int restart = -1;
  // The place it takes in its Job, which holds one pod at a time: its
  // completion index, or the Job itself where that runs one pod. Empty: not
  // known.
  std::string slot;
  // It works for itself: nothing tells that it shares a fate with the others.
  bool alone = false;

  bool succeeded() const {
    return reading.failing() && reading.best.cause == v1::SUCCEEDED;
  }
  // It came to a bad end, or cannot start.
  bool failed() const { return reading.failing() && !succeeded(); }
  // It failed and is over or about to be, so that another pod may have taken
  // its place.
  bool ended() const {
    return failed() && !reading.state.goes_on() &&
           (reading.state.end != End::kNone ||
            reading.state.phase == Phase::kFailed ||
            Known(reading.state.marked));
  }
};

GangClass ClassOf(const PodReading& member);

// Whether the member ended by itself, for a reason of its own.
bool FailedByItself(const PodReading& member);

// Says no more than that it failed: so does a member that lost its peers, when
// its log did not arrive. Aborts are among them, because a collective's
// watchdog ends a process that way.
bool SaysNothing(const PodReading& member);

// Nothing but its time tells whether it began it or followed.
bool MayFollow(const PodReading& member);

// When the kubelet found the pod not ready: of one without container states,
// its end.
Seconds LastReady(const kubernetes::core::v1::PodStatus& status);

// When trouble began for a member.
Seconds BeginOfTrouble(const PodReading& member);

// Reads every pod of the report, in its order. `facts` is left with those of
// the last.
std::vector<Member> ReadMembers(const Context& context, Candidates& facts);

// A member that failed by itself this long after the first end of an incident
// did not die of it, although it was there: the timeouts by which the death of
// a peer is noticed are 10 to 30 minutes (NCCL, Gloo).
inline constexpr Seconds kIncidentSpan = 1800;

// What was told before had happened by then, whatever the clock of the node
// says: bounds Member.struck where no slot does.
void BoundByRecords(const WasDecided& was_decided,
                    std::vector<Member>& members);

// What the objects above the pods say of their attempts.
struct OwnerAttempts {
  // The newest restart attempt of the JobSet; -1: none.
  int newest = -1;
  // The workload has failed for good.
  bool gave_up = false;
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
// lives on. `was_decided` tells for the root of an incident whether the ledger
// has it; empty: it has none.
Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner,
                       const WasDecided& was_decided = {});

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
