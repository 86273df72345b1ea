// What KubeRay refuses: a RayJob that fails one of these checks becomes
// ValidationFailed at its next pass, also while it runs.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/native/go_text.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::rayjob {

// All that is refused, in the order in which KubeRay looks; it stops at the
// first. `detail` is its message, byte for byte; it names no field, so `field`
// is ours. Looked at are the name's length and form (DNS-1035), the spec, and
// Waiting outside InteractiveMode.
FieldErrors ValidateRayJob(const RayJob& job, const Settings& settings);

// What of spec has to do with retries, deadlines, submission and deletion:
// suspend, TTL and deletionStrategy, clusterSelector against everything that
// needs a cluster of one's own, the submission modes, deadlines and
// backoffLimit. The cluster itself and runtimeEnvYAML are KubeRay's to judge,
// which it does before anything of theirs can fail. A member that the release
// does not know is not looked at.
FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings);

// What may be meant for a newer KubeRay: a submission mode that is not known.
std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_VALIDATION_H_
