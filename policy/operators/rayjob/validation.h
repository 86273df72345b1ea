// What KubeRay refuses: a RayJob that fails one of these checks becomes
// ValidationFailed at its next pass, also while it runs.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "policy/operators/go_text.h"
#include "policy/operators/rayjob/settings.h"

namespace mulligan::rayjob {

// Refusals in the order in which KubeRay looks for them; it stops at the first.
// `detail` is its message, byte for byte; it names no field, so `field` is
// ours, below spec.
class Refusals {
 public:
  // When `broken`.
  void Add(bool broken, std::string_view field, std::string_view detail);
  // With the words most of KubeRay's refusals begin with.
  void AddInvalid(bool broken, std::string_view field, std::string_view detail);

  FieldErrors errors;
};

// All that is refused: the name's length and form (DNS-1035), the spec, Waiting
// outside InteractiveMode, and what the API server's schema refuses at
// creation: managedBy.
FieldErrors ValidateRayJob(const RayJob& job, const Settings& settings);

// spec, as far as the mirrors have it: suspend, TTL and deletion,
// clusterSelector against everything that needs a cluster of one's own, the
// submission modes, the cluster, runtimeEnvYAML, deadlines and backoffLimit. A
// member that the release does not know is not looked at.
FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings);

// spec.rayClusterSpec, as far as the mirror has it: containers, bounds of the
// worker groups, suspended groups, restart policies under autoscaler v2, and
// authentication. Fault tolerance of the control store, labels and resources,
// network policies, TLS and the history server are not looked at.
void CheckCluster(const RayClusterSpec& spec, const Settings& settings,
                  Refusals& refusals);

// TTL without shutdown, and spec.deletionStrategy: either both of the older
// branches or rules, each with exactly one state and a TTL that is not
// negative, no two alike, and per state no TTL before that of something less
// destructive.
void CheckDeletion(const RayJobSpec& spec, const Settings& settings,
                   Refusals& refusals);

// What may be meant for a newer KubeRay: a submission mode that is not known.
std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_VALIDATION_H_
