// What KubeRay refuses about the cluster of a RayJob.
#ifndef MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_VALIDATION_H_
#define MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_VALIDATION_H_

#include "policy/native/kuberay_settings.h"
#include "policy/native/kuberay_types.h"
#include "policy/native/kubernetes_field_error.h"

namespace mulligan::kuberay {

// spec.rayClusterSpec, as far as the mirror has it: containers, bounds of the
// worker groups, suspended groups, restart policies under autoscaler v2, and
// authentication. Fault tolerance of the control store, labels and resources,
// network policies, TLS and the history server are not looked at.
FieldErrors ValidateRayJobClusterSpec(const RayClusterSpec& spec,
                                      const Settings& settings);

}  // namespace mulligan::kuberay

#endif  // MULLIGAN_POLICY_NATIVE_KUBERAY_CLUSTER_VALIDATION_H_
