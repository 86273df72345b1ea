// Pods that have not started yet.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_H_

#include "absl/time/time.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

// flytek8s.DemystifyPending: walks the conditions as they are listed; the
// first that says anything decides. Grace periods count from the transition
// of the condition `Ready`, not from the start of the trouble; a condition
// without a time is infinitely old.
PhaseInfo DemystifyPending(const PodStatus& status, const Settings& settings,
                           absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_H_
