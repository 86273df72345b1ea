// Facts of the objects above the pods against each other.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_OWNER_FACTS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_OWNER_FACTS_H_

#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"
#include "policy/demystify/gang.h"

namespace mulligan::demystify {

// A queue holds work by suspending it: where its Workload says why, that counts
// and not the suspension. Nobody resumes what has failed for good.
void WeighSuspension(const Context& context, Candidates& facts);

// A deadline that passed while the pods could not start is the end of the wait,
// not its cause. `gang` tells of the pods of the report.
void WeighDeadline(const Context& context, const Gang& gang, Candidates& facts);

// Whether a queue may hold the work: no owner is at hand, or one that names it.
bool MayBeQueued(const v1::FailureReport& report);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_OWNER_FACTS_H_
