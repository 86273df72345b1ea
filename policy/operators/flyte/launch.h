// Making, finding and losing the object of an attempt.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_LAUNCH_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_LAUNCH_H_

#include <optional>
#include <string>
#include <string_view>

#include "policy/operators/flyte/api_error.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// launchResource after the create call. Absent: it succeeded. `is_pod`: the
// object is a plain pod, the only kind the quota back-off guards.
PhaseResult LaunchPhase(const std::optional<ApiError>& error, bool is_pod,
                        const Settings& settings);

// launchResource when the object could not be built from the task. `code` is
// Flyte's code of the error's cause, empty when it has none.
PhaseResult BuildFailurePhase(std::string_view code, std::string_view message,
                              const Settings& settings);

// What the round found of an object that was made.
struct ObservedObject {
  // "namespace/name", for messages.
  std::string name;
  // Absent: the object was found.
  std::optional<ApiError> lookup_error;
  // What the plugin says of it.
  PhaseResult plugin = InPhase(Phase::kUndefined);
  // It has a deletionTimestamp.
  bool is_deleted = false;
};

// checkResourcePhase. A terminal phase goes before a deletion.
PhaseResult ObservedPhase(const ObservedObject& object, const Rules& rules);

// Handle, when the identity of the object cannot be rebuilt.
PhaseInfo IdentityFailurePhase(std::string_view message);

// Handle, when the plugin's stored state cannot be read. `version_differs`:
// it was stored by another version.
PhaseResult CorruptedStatePhase(bool version_differs, std::string_view message,
                                const Rules& rules);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_LAUNCH_H_
