// Objects that could not be made.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_CREATION_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_CREATION_H_

#include "mulligan/v1/report.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// launchResource of the plugin manager, when the object could not be built
// from the task or the API server answered with an error. `is_pod`: the object
// is a plain pod, the only kind that v1's quota back-off guards.
PhaseResult CreationPhase(const v1::CreationError& error, bool is_pod,
                          const Settings& settings);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_CREATION_H_
