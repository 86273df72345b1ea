// Cases about one pass of the JobSet controller.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_JOBSET_DECISION_H_
#define MULLIGAN_CLIENT_CONFORMANCE_JOBSET_DECISION_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// One whole pass, and what follows from it:
//   action, matchedRule, matchedJob, restartedJob, reason, message, error
//   restarts, restartsCountTowardsMax, terminalState, state, conditions
//   replicatedJobsStatus  groups the input reports or a failed Job is in
//   condition             RestartingJobSet when there is one, else the newest
//   nextPass              the same after one more pass over the same Jobs
//   finalState            when all Jobs of the attempt in force succeed
//   jobsByRestartAttempt  Jobs there are after the pass
//   activeJobsDeleted, finishedJobsKept      in the pass after the end
//   jobsCreatedBeforeFirstGroupReady, startupPolicyRedone
//                         in the first pass of the attempt in force
absl::StatusOr<Json> ReconcileFacts(const CaseInput& input);

// One action by its name, whatever rule led to it.
absl::StatusOr<Json> ApplyActionFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_JOBSET_DECISION_H_
