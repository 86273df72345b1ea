// Flyte 2's plugin for clustered tasks, which run as a JobSet.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_JOBSET_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_JOBSET_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

using JobSet = kubernetes::jobset::v1alpha2::JobSet;

// What the plugin reads of the task's ClusteredTaskSpec.failure_policy.
struct ClusteredTask {
  std::int64_t max_restarts = 0;
  bool restart_on_host_maintenance = false;
};

// clustered.GetTaskPhase. Of the pods only the newest of rank 0 is judged.
// `earlier` is the phase the plugin stored in the round before.
PhaseInfo JobSetPhase(const JobSet& job_set, const Pods& pods,
                      const ClusteredTask& task, Phase earlier,
                      const Settings& settings, absl::Time now);

// clustered.buildFailurePolicy: maxRestarts of the JobSet to be made; absent:
// it gets no failure policy. INVALID_ARGUMENT for a negative number.
absl::StatusOr<std::optional<std::int64_t>> BuildFailurePolicy(
    const ClusteredTask& task);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_JOBSET_H_
