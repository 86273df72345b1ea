// When a JobSet has succeeded.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_SUCCESS_POLICY_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_SUCCESS_POLICY_H_

#include <cstdint>
#include <string_view>

#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// Whether the policy looks at the group; no targets: at all of them.
bool IsTarget(const SuccessPolicy& policy, std::string_view group);

// How many of the Jobs belong to groups the policy looks at.
std::int64_t TargetedJobs(const SuccessPolicy& policy, const Jobs& jobs);

// How many targeted Jobs have to succeed: one for the operator Any, else all.
std::int64_t ExpectedSuccesses(const JobSetSpec& spec);

// Whether `successful` child Jobs make the JobSet a success. It takes at least
// one.
bool MeetsSuccessPolicy(const JobSetSpec& spec, const Jobs& successful);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_SUCCESS_POLICY_H_
