// Is anything broken? Signs that the work lives, for reports in which nothing
// says that it ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_

#include <vector>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Whether the owner replaces its parts by itself and says that it goes on: the
// death of pods[pod] is then no end of the work.
//
//   RayJob            Ray restarts workers; the head is the job (KubeRay 1.5)
//   SparkApplication  the driver replaces executors (Spark operator 2)
bool OwnerGoesOn(const Context& context, int pod);

// Whether what made pods[pod] is at work, and makes another one in its place if
// it wants one: whoever deleted the pod did not end the work.
bool LivesWithout(const Context& context, int pod);

// Whether the Job, alone in the report, has counted every failed pod there and
// has as many active ones as it wants: whatever failed has its successor. A
// status from before the failure counts less.
bool JobIsFull(const v1::FailureReport& report);

// Whether the operator has decided already to start again what failed: it says
// so (a fact flagged kRestarting) since the trouble `began`, or without a time,
// which is about now. A failure after that is another one.
bool OperatorRestarts(const Candidates& facts, Seconds began);

// Until when the queue keeps the work, which it evicted, back before it starts
// it again (Kueue 0.19: requeueState, condition Requeued); now where it says no
// time. Unknown: it does not, or some of the work was not stopped.
Seconds RequeuedUntil(const Context& context);

// Adds the state of the most senior object that has one, of the shape "is
// running" or "starts"; nothing when no object has a status.
void AddLifeSign(const Attempt& attempt, Candidates& facts);

// When to look again at work that has not started: then the first of its pods
// has been starting for too long. Unknown: every further change will be an
// event of its own.
Seconds StuckAt(const Context& context, const std::vector<int>& pods);

// Whether a queue may hold the work: no owner is at hand, or one that names it.
bool MayBeQueued(const Owners& owners);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
