// What Flyte's plugins make of the custom resources they wrote.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_JOBS_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_JOBS_H_

#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// Pods of the report: v2 looks at one of them before the resource.
struct Surroundings {
  const google::protobuf::RepeatedPtrField<kubernetes::core::v1::Pod>& pods;
  const Settings& settings;
  absl::Time now;
};

// GetTaskPhase of the plugins for PyTorchJob, TFJob and MPIJob. An error when
// the operator has not touched the job for longer than its timeout, and when
// it has conditions but none is True.
PhaseResult KubeflowJobPhase(const kubernetes::kubeflow::v1::TrainingJob& job,
                             const Surroundings& around);
// Whether Flyte has a plugin for the kind.
bool IsKubeflowKind(std::string_view kind);

// ray.GetTaskPhase. The error file, which v2 reads when the job has failed, is
// not in a report.
PhaseResult RayJobPhase(const kubernetes::ray::v1::RayJob& job,
                        const Surroundings& around);

// spark.GetTaskPhase. The operator's own retries are not seen.
PhaseResult SparkApplicationPhase(
    const kubernetes::spark::v1beta2::SparkApplication& application,
    const Surroundings& around);

// clustered.GetTaskPhase of v2, for tasks that run as a JobSet. Of the pods
// only the newest of rank 0 is judged.
PhaseResult JobSetPhase(const kubernetes::jobset::v1alpha2::JobSet& job_set,
                        const Surroundings& around);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_JOBS_H_
