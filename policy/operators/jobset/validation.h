// What JobSet's API server schema and webhook refuse, as far as failures are
// handled by it.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_VALIDATION_H_

#include "policy/base/pattern_allowance.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::jobset {

// Checks the policy alone, as it stands in a policy file. `detail` of an error
// is the webhook's message, byte for byte; the webhook itself names no field. A
// rule without a name passes, since the webhook will name it; one that is
// explicitly empty does not. Its patterns are compiled within `allowance`.
ObjectIssues FailurePolicyIssues(const FailurePolicy& policy,
                                 const Gates& gates,
                                 PatternAllowance& allowance);

// The same with what depends on the groups: targets, the number of replicas,
// requirements of in-place restarts.
ObjectIssues ValidateJobSetSpec(const JobSetSpec& spec, const Gates& gates,
                                PatternAllowance& allowance);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_VALIDATION_H_
