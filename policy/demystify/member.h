// The pods of a report as members of the workload: when each lived and how it
// ended, and which attempt it belongs to.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "policy/demystify/causes.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/pod_reader.h"
#include "policy/demystify/was_decided.h"

namespace mulligan::demystify {

struct Member {
  PodReading reading;
  // All that was read of it, weighed.
  Candidates facts;
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
  // completion index, or the Job itself where that runs one pod. Members of one
  // place have one number; -1: not known.
  int slot = -1;
  // The ledger has a failure of which it is the root.
  bool recorded = false;
  // It works for itself: nothing tells that it shares a fate with the others.
  bool alone = false;
  // The member that decides how the work ends has succeeded, and what became of
  // this one does not matter.
  bool settled = false;

  bool has_slot() const { return slot >= 0; }
  bool succeeded() const {
    return !settled && reading.failing() && reading.best.cause == v1::SUCCEEDED;
  }
  // It came to a bad end, or cannot start.
  bool failed() const { return !settled && reading.failing() && !succeeded(); }
  // It failed and is over or about to be, so that another pod may have taken
  // its place.
  bool ended() const {
    return failed() && !reading.state.goes_on() &&
           (reading.state.end != End::kNone ||
            reading.state.phase == Phase::kFailed ||
            Known(reading.state.marked));
  }
};

// The members of one attempt: those at `pods` of all.
struct Attempt {
  const Context& context;
  const std::vector<Member>& members;
  const std::vector<int>& pods;

  const v1::FailureReport& report() const { return context.report; }
  const Member& member(int pod) const {
    return members[static_cast<std::size_t>(pod)];
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

// Reads every pod of the report once, in its order.
std::vector<Member> ReadMembers(const Context& context);

// What was told before had happened by then, whatever the clock of the node
// says: sets Member.recorded, and bounds Member.struck where no slot does.
void BoundByRecords(const WasDecided& was_decided,
                    std::vector<Member>& members);

// Index into report.pods of the member that the words of `root` name,
// where they are of a row that names members: by its name, or by its rank.
// -1: none.
int NamedBy(const Attempt& attempt, const PodReading& root);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
