// What KubeRay refuses about deletion after the end.
#ifndef MULLIGAN_POLICY_NATIVE_KUBERAY_DELETION_VALIDATION_H_
#define MULLIGAN_POLICY_NATIVE_KUBERAY_DELETION_VALIDATION_H_

#include "policy/native/kuberay_settings.h"
#include "policy/native/kuberay_types.h"
#include "policy/native/kubernetes_field_error.h"

namespace mulligan::kuberay {

// TTL without shutdown, and spec.deletionStrategy: either both of the older
// branches or rules, each with exactly one state and a TTL that is not
// negative, no two alike, and per state no TTL before that of something less
// destructive.
FieldErrors ValidateDeletion(const RayJobSpec& spec, const Settings& settings);

}  // namespace mulligan::kuberay

#endif  // MULLIGAN_POLICY_NATIVE_KUBERAY_DELETION_VALIDATION_H_
