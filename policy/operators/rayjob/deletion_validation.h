// What KubeRay refuses about deletion after the end.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_VALIDATION_H_

#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// TTL without shutdown, and spec.deletionStrategy: either both of the older
// branches or rules, each with exactly one state and a TTL that is not
// negative, no two alike, and per state no TTL before that of something less
// destructive.
FieldErrors ValidateDeletion(const RayJobSpec& spec, const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_VALIDATION_H_
