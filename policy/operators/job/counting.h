// What counts as a failed pod of a Job, and what is paid for already.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_

#include <cstdint>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/job/gates.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

bool IsIndexed(const JobSpec& spec);
bool IsSuspended(const JobSpec& spec);
// Limits per index are in use: backoffLimitPerIndex is set and its gate on.
bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates);

// Replacements wait until the old pod is in a terminal phase: with
// podReplacementPolicy Failed, and with every pod failure policy.
bool OnlyReplacesFailedPods(const JobSpec& spec, const Gates& gates);

// Phase Failed; or, when replacements do not wait for that, under deletion and
// not Succeeded.
bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates);

// Whether the pod's failure counts against the limits.
bool CountsAsFailed(const Pod& pod, const JobSpec& spec, const Gates& gates);

// For Indexed Jobs: the pod's index is known and below completions. True for
// other Jobs.
bool HasValidIndex(const Pod& pod, const JobSpec& spec);

// Whether a list of uncounted pods has the pod.
bool Lists(const google::protobuf::RepeatedPtrField<std::string>& uids,
           const Pod& pod);

// Finished pods that are neither in the counters of the status nor in its
// lists of uncounted pods: they hold the tracking finalizer, their UID is not
// listed and their index is valid.
struct NewlyFinished {
  Pods succeeded;
  // Failed pods, ignored ones included.
  Pods failed;
};
NewlyFinished NewlyFinishedPods(const Job& job, const Pods& pods,
                                const Gates& gates);

// The number compared with backoffLimit: status.failed, the uncounted failed
// pods, and the newly failed pods that count.
std::int64_t FailureCount(const Job& job, const Pods& newly_failed,
                          const Gates& gates);

// Restarts of the containers of Running and Pending pods, which count against
// backoffLimit with restartPolicy OnFailure; else 0.
std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods);

// Container restarts of Running and Pending pods have used up backoffLimit.
// Only with restartPolicy OnFailure, and with one attempt fewer than the limit
// of restartPolicy Never: the sum reaching the limit is enough.
bool ExceedsOnFailureLimit(const JobSpec& spec, const Pods& pods);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_
