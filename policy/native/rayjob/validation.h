// KubeRay's validation: a RayJob that fails a check becomes ValidationFailed in
// its next pass, even while it runs.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/native/go_text.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::rayjob {

// Returns all errors in KubeRay's order; KubeRay stops at the first. `detail`
// is KubeRay's message, byte for byte; `field` is ours, because KubeRay names
// none. Checks the name's length and form (DNS-1035), the spec, and Waiting
// outside InteractiveMode.
FieldErrors ValidateRayJob(const RayJob& job, const Settings& settings);

// Checks the parts of spec that affect retries, deadlines, submission and
// deletion: suspend, TTL and deletionStrategy, clusterSelector against fields
// that need an own cluster, the submission modes, deadlines and backoffLimit.
// Does not check the cluster and runtimeEnvYAML, which KubeRay validates before
// they can fail, nor members that the release does not know.
FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings);

// Warns of values of a newer KubeRay, such as an unknown submission mode.
std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_
