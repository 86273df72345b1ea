// Flyte's plugin for SparkApplication.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_SPARK_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_SPARK_H_

#include "absl/time/time.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

using SparkApplication = kubernetes::spark::v1beta2::SparkApplication;

// spark.GetTaskPhase. The operator's own retries are not seen.
PhaseInfo SparkApplicationPhase(const SparkApplication& application,
                                const Pods& pods, const Settings& settings,
                                absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_SPARK_H_
