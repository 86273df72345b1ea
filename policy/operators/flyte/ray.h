// Flyte's plugin for RayJob.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_RAY_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_RAY_H_

#include <optional>

#include "absl/time/time.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "policy/operators/flyte/error_file.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

using RayJob = kubernetes::ray::v1::RayJob;

// ray.GetTaskPhase. v2 reads the error file itself when the job has failed;
// absent: there is none.
PhaseResult RayJobPhase(const RayJob& job, const Pods& pods,
                        const std::optional<ErrorFile>& error_file,
                        const Settings& settings, absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_RAY_H_
