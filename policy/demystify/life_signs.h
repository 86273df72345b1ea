// Signs that the work is alive, for reports without evidence of an end.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_

#include <vector>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Returns whether the owner replaces its parts and still runs, so that the
// death of pods[pod] does not end the work:
//
//   RayJob            Ray restarts workers; the head is the job (KubeRay 1.5)
//   SparkApplication  the driver replaces executors (Spark operator 2)
bool OwnerGoesOn(const Context& context, int pod);

// Returns whether the owner of pods[pod] is active and replaces the pod if
// needed, so that its deletion did not end the work.
bool LivesWithout(const Context& context, int pod);

// Returns whether all failed pods have successors: the only Job of the report
// has counted every one and has as many active pods as it wants. False for a
// status from before the failure.
bool JobIsFull(const v1::FailureReport& report);

// Returns whether the operator has decided to restart what failed: it says so
// (a fact flagged kRestarting) since `began`, or without a time, which is about
// now.
bool OperatorRestarts(const Candidates& facts, Seconds began);

// Returns until when the queue holds the evicted work back before a restart
// (Kueue 0.19: requeueState, condition Requeued); now if it states no time.
// Unknown if it does not, or if some of the work still runs.
Seconds RequeuedUntil(const Context& context);

// Adds the state of the most senior object that has one, such as "is running"
// or "starts"; nothing if no object has a status.
void AddLifeSign(const Attempt& attempt, Candidates& facts);

// Returns when the first pod of unstarted work will have been starting for too
// long. Unknown if every further change will be an event.
Seconds StuckAt(const Context& context, const std::vector<int>& pods);

// Returns whether a queue may hold the work: no Job is reported, another kind
// owns the work, or a label names a queue.
bool MayBeQueued(const Owners& owners);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
