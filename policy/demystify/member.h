// The pods of a report as members of the workload: lifetime, end and attempt.
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
  // All of its facts, weighed.
  Candidates facts;
  // Its lifetime, from its creation (or the last start of a restarted
  // container) to the end of the deciding container. Unknown without times;
  // `end` is only known for members that failed or succeeded.
  Seconds begin = kUnknownTime;
  Seconds end = kUnknownTime;
  // When its end was caused: the mark before the end (PodState.marked), else
  // the end. A successor may start from then on, within the grace period. Never
  // later than the successor's creation.
  Seconds struck = kUnknownTime;
  // jobset.sigs.k8s.io/restart-attempt; -1 if not of a JobSet.
  int restart = -1;
  // The number of its slot in the Job; a slot has one pod at a time: its
  // completion index, or the Job itself if it runs one pod. -1 if unknown.
  int slot = -1;
  // It ended before its queue stopped the work that its owner had retried.
  bool retried = false;
  // It is the root of a failure in the ledger.
  bool recorded = false;
  // Independent of the other members.
  bool alone = false;
  // The work's leader has succeeded, so this member's end does not matter.
  bool settled = false;

  bool has_slot() const { return slot >= 0; }
  bool succeeded() const {
    return !settled && reading.failing() && reading.best.cause == v1::SUCCEEDED;
  }
  // Returns whether it failed or cannot start.
  bool failed() const { return !settled && reading.failing() && !succeeded(); }
  // Returns whether it failed and is over or about to be, so that another pod
  // may have replaced it.
  bool ended() const {
    return failed() && !reading.state.goes_on() &&
           (reading.state.end != End::kNone ||
            reading.state.phase == Phase::kFailed ||
            Known(reading.state.marked));
  }
};

// The members of one attempt, by index.
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

// Returns whether the member ended by itself, for its own reason.
bool FailedByItself(const PodReading& member);

// Returns whether the member shows only that it failed, perhaps because its
// peers were gone. Includes aborts, by which a collective's watchdog ends a
// process.
bool ShowsOnlyItsEnd(const PodReading& member);

// Returns whether the member may be a victim: only time shows if it was first.
bool MayFollow(const PodReading& member);

// Returns whether the text has the name of an object; "worker-15" does not have
// "worker-1".
bool ContainsName(std::string_view text, std::string_view name);

// Returns when the kubelet found the pod not ready, which is taken as its end
// if it has no container states.
Seconds LastReady(const kubernetes::core::v1::PodStatus& status);

// Returns when the member's trouble began.
Seconds BeginOfTrouble(const PodReading& member);

// Reads every pod of the report once, in order.
std::vector<Member> ReadMembers(const Context& context);

// Sets Member.recorded. A failure happened no later than its record, even if
// the node's clock differs, so the record limits Member.struck if no successor
// in the slot does.
void BoundByRecords(const WasDecided& was_decided,
                    std::vector<Member>& members);

// Returns the index into report.pods of the member that the deciding text of
// `root` names, by name or rank, if its row names members; -1 if none.
int NamedBy(const Attempt& attempt, const PodReading& root);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_MEMBER_H_
