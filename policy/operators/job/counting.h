// What counts as a failed pod of a Job, and what is paid for already.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_

#include <cstdint>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/job/settings.h"

namespace mulligan::job {

// Phase Failed; or under deletion and not Succeeded, unless replacements wait
// until the old pod is in a terminal phase: with podReplacementPolicy Failed,
// and with every pod failure policy.
bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates);

// For Indexed Jobs: the pod's index is known and below completions. True for
// other Jobs.
bool HasValidIndex(const Pod& pod, const JobSpec& spec);

// Whether a list of uncounted pods has the pod.
bool Lists(const google::protobuf::RepeatedPtrField<std::string>& uids,
           const Pod& pod);

// The number compared with backoffLimit: status.failed, the uncounted failed
// pods, and the newly failed pods that count. Newly finished pods are neither
// in the counters of the status nor in its lists of uncounted pods: they hold
// the tracking finalizer, their UID is not listed and their index is valid.
std::int64_t FailureCount(const Job& job, const Pods& pods, const Gates& gates);
// status.succeeded, the uncounted and the newly succeeded pods.
std::int64_t SuccessCount(const Job& job, const Pods& pods);

// Restarts of the containers of Running and Pending pods, which count against
// backoffLimit with restartPolicy OnFailure; else 0.
std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_COUNTING_H_
