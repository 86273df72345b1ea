// Flyte's plugin for DaskJob.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_DASK_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_DASK_H_

#include <string>

#include "absl/time/time.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

// What the plugin reads of a DaskJob (kubernetes.dask.org/v1).
struct DaskJob {
  std::string pod_namespace;
  // status.jobStatus
  std::string job_status;
  // status.jobRunnerPodName
  std::string job_runner_pod_name;
};

// dask.GetTaskPhase.
PhaseInfo DaskJobPhase(const DaskJob& job, const Pods& pods,
                       const Settings& settings, absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_DASK_H_
