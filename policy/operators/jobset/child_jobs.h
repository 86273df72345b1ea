// Which child Jobs the controller looks at.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_

#include "absl/status/statusor.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// Whether the child Job is of an attempt before the last restart of the JobSet
// or, with gate RestartJob, of the Job: the controller deletes it and looks no
// further. A Job without the labels is of this attempt. An error: a label that
// is no number, over which the controller gets no further.
absl::StatusOr<bool> IsOfEarlierAttempt(const Job& job,
                                        const JobSetStatus& status,
                                        const Gates& gates);

// Failed or Complete, whichever is listed first with status True; null: the
// Job has not finished. FailureTarget and pods are not looked at.
const JobCondition* FinishedCondition(const Job& job);

// Lists status.replicatedJobsStatus as the controller does: an entry for each
// group of the spec.
void KeepAttempts(const JobSetSpec& spec, JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_CHILD_JOBS_H_
