// Values the API server fills into a Job.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_DEFAULTS_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_DEFAULTS_H_

#include "policy/operators/job/gates.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

// Fills in what is absent: completions and parallelism 1 (parallelism alone
// when completions are given), backoffLimit 6 or, with limits per index,
// 2147483647, completionMode NonIndexed, suspend false, podReplacementPolicy
// Failed with a pod failure policy and TerminatingOrFailed without, and status
// True in condition patterns. Values that are there stay.
void SetJobDefaults(const Gates& gates, JobSpec& spec);

// The part for a policy on its own, for example pasted into a policy file.
void SetPodFailurePolicyDefaults(PodFailurePolicy& policy);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_DEFAULTS_H_
