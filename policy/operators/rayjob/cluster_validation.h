// What KubeRay refuses about the cluster of a RayJob.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_VALIDATION_H_

#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// spec.rayClusterSpec, as far as the mirror has it: containers, bounds of the
// worker groups, suspended groups, restart policies under autoscaler v2, and
// authentication. Fault tolerance of the control store, labels and resources,
// network policies, TLS and the history server are not looked at.
FieldErrors ValidateRayJobClusterSpec(const RayClusterSpec& spec,
                                      const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_CLUSTER_VALIDATION_H_
