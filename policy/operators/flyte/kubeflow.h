// Flyte's plugins for PyTorchJob, TFJob and MPIJob.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_KUBEFLOW_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_KUBEFLOW_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "policy/operators/flyte/condition.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

using TrainingJob = kubernetes::kubeflow::v1::TrainingJob;

// common.ExtractCurrentCondition: the newest condition that is True. Without
// any conditions an empty one; an error when there are some and none is True.
absl::StatusOr<Condition> CurrentCondition(
    std::optional<Conditions> conditions);

// common.GetPhaseInfo and GetMPIPhaseInfo.
PhaseInfo KubeflowConditionPhase(const Condition& current, const Rules& rules);
PhaseInfo MpiConditionPhase(const Condition& current, const Rules& rules);

// GetTaskPhase of the plugin for job.kind(). An error for another kind, and
// when the operator has not touched the job for longer than its timeout.
PhaseResult KubeflowJobPhase(const TrainingJob& job, const Pods& pods,
                             const Settings& settings, absl::Time now);

// Whether Flyte has a plugin for the kind.
bool IsKubeflowKind(std::string_view kind);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_KUBEFLOW_H_
