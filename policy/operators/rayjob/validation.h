// What KubeRay refuses: a RayJob that fails one of these checks becomes
// ValidationFailed at its next pass, also while it runs.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

inline constexpr int kMaxRayJobNameLength = 47;

// All refusals. `detail` is KubeRay's message, byte for byte; it names no
// field, so `field` is ours. KubeRay stops at the first of a check's errors,
// which is the first in the list.
//
// metadata.name: length and DNS-1035.
FieldErrors ValidateRayJobMetadata(const RayJob& job);

// spec, as far as the mirrors have it: suspend, TTL and deletion,
// clusterSelector against everything that needs a cluster of one's own, the
// submission modes, the cluster (containers, replicas, autoscaler,
// authentication), runtimeEnvYAML, deadlines and backoffLimit. A member that
// the release does not know is not looked at.
FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings);

// status: Waiting outside InteractiveMode.
FieldErrors ValidateRayJobStatus(const RayJob& job);

// What the API server's schema refuses at creation: managedBy.
FieldErrors ValidateRayJobSchema(const RayJobSpec& spec);

// What may be meant for a newer KubeRay: a submission mode or deletion policy
// that is not known.
std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_
