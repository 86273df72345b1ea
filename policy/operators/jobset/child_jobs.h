// The child Jobs of a JobSet, sorted as the controller sorts them.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_

#include "absl/status/statusor.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

struct ChildJobs {
  // Of the current attempt.
  Jobs active;
  Jobs successful;
  Jobs failed;
  // Of an earlier attempt: deleted, and never evaluated.
  Jobs previous;
};

// An attempt is told by the labels restart-attempt against status.restarts
// and, with the gate RestartJob, job-restart-attempt against the Job's entry
// in jobRestarts. A Job without the label belongs to the current attempt: the
// controller never leaves it out, but reports may. INVALID_ARGUMENT for a label
// that is no number, at which the controller gets no further.
absl::StatusOr<ChildJobs> SortChildJobs(const JobSetStatus& status,
                                        const Jobs& jobs, const Gates& gates);

// The counts of ready, succeeded, failed, active and suspended Jobs per group
// of the spec, in its order. Counters of restarts are kept. A spec without
// groups, as in a report cut down, leaves the status as it is.
void RefreshReplicatedJobsStatus(const JobSetSpec& spec, const ChildJobs& jobs,
                                 JobSetStatus& status);

// Whether the Jobs of all groups are ready or done.
bool AreAllJobsReady(const JobSetSpec& spec, const JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_
