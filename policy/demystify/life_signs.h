// Signs that the work is alive, for reports without evidence of an end.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_

#include <vector>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Returns whether the owner of pods[pod] replaces its parts and still runs, so
// that the pod's death does not end the work:
//
//   RayJob            Ray restarts workers; the head is the job (KubeRay 1.5)
//   SparkApplication  the driver replaces executors (Spark operator 2)
bool OwnerContinues(const Context& context, int pod);

// Returns whether the owner of pods[pod] is active and acts on the deletion of
// the pod: it replaces or removed it, so that this did not end the work.
bool SurvivesWithout(const Context& context, int pod);

// Returns whether all failed pods have successors: the report's only Job has
// counted each and has as many active pods as it wants.
bool JobIsFull(const v1::FailureReport& report);

// Returns whether the operator restarts what failed: a fact is flagged
// kRestarting and not older than `began`. One without a time counts as recent.
bool OperatorRestarts(const Candidates& facts, Seconds began);

// Returns the time until which the queue holds back evicted work (Kueue 0.19:
// requeueState, condition Requeued). If it states no future time, returns now
// if the work is requeued and none of it runs, else unknown.
Seconds RequeuedUntil(const Context& context);

// Adds a fact with the state of the most senior object that has one, such as
// "is running"; nothing if no object has a status.
void AddLifeSign(const Attempt& attempt, Candidates& facts);

// Returns when the first pod that has not started will have been starting for
// too long (kStuck). Unknown if there is none.
Seconds StuckAt(const Context& context, const std::vector<int>& pods);

// Returns whether a queue may hold the work: no Job is reported, another kind
// owns the work, or a label names a queue.
bool MayBeQueued(const Owners& owners);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
