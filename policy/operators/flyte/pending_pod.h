// What Flyte's plugins make of a pod that is pending.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_POD_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_POD_H_

#include "absl/time/time.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// flytek8s.DemystifyPending. Grace periods and the pending timeout count from
// the last transition of the condition that is looked at; one without a time
// is infinitely old.
PhaseInfo PendingPodPhase(const kubernetes::core::v1::PodStatus& status,
                          const Settings& settings, absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_PENDING_POD_H_
