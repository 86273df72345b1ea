// Defaults the API server and the webhook fill into a JobSet.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_DEFAULTS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_DEFAULTS_H_

#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// maxRestarts 0, restartStrategy Recreate, and a name for each rule without
// one: failurePolicyRule<index>.
void SetFailurePolicyDefaults(FailurePolicy& policy);

// Those, for a policy that is there; successPolicy.operator All; startup in any
// order; per group one replica, completionMode Indexed and restartPolicy
// OnFailure. The last keeps failed containers from being seen at all until the
// Job's own limits are used up.
void SetJobSetDefaults(JobSetSpec& spec);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_DEFAULTS_H_
