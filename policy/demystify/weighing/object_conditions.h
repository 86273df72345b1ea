// The conditions of the rules that weigh facts of objects and events.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_OBJECT_CONDITIONS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_OBJECT_CONDITIONS_H_

#include "policy/demystify/weighing/conditions.h"

namespace mulligan::demystify {

// Round::kEvents.
Condition IsAboutAnotherObject;
Condition WorkGoesOn;
Condition WasReplaced;
Condition WasCreatedAfterAll;

// Round::kObjects.
Condition OnlyAPartSucceeded;
Condition PartEndedWell;
Condition DeletedAfterFailure;
Condition SuspendedAfterFailure;
Condition SuspendedByQueue;
Condition DeadlineWithoutStart;
Condition IsNotAgainstFailedPod;
Condition CameFromAboveAfterTheEnd;

// Round::kMembers.
Condition DeadlineWhileStarting;
Condition OthersHaveNotSucceeded;
Condition WorkloadFailed;

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_OBJECT_CONDITIONS_H_
