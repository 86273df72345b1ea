// Which active pods go when a Job has too many.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_POD_REMOVAL_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_POD_REMOVAL_H_

#include <cstddef>

#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// The pods to remove from `active`: in Indexed Jobs all without a valid index
// and all but one per index; then, up to `at_least`, those that lose the least:
// not scheduled, Pending, not ready, ready for the shortest time, restarted
// most often, youngest.
Pods PodsForRemoval(const JobSpec& spec, const Pods& active,
                    std::size_t at_least);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_POD_REMOVAL_H_
