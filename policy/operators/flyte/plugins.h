// What Flyte's plugins make of the objects they wrote: each function says which
// of Flyte's it follows.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_PLUGINS_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_PLUGINS_H_

#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

using Pod = kubernetes::core::v1::Pod;

// pod.DemystifyPodStatus: the phase of a task that is one plain pod.
PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now);

// flytek8s.DemystifyFailedOrPendingPod of v2: what a plugin's pod says if it
// has failed or is pending; Undefined otherwise. `primary` is the container
// whose end is the task's end. Grace periods and the pending timeout count from
// the last transition of the condition that is looked at; one without a time is
// infinitely old.
PhaseInfo FailedOrPendingPodPhase(const Pod& pod, std::string_view primary,
                                  const Settings& settings, absl::Time now);

// Annotation that names the primary container. Flyte sets it on pod tasks and
// on pods with one container, but not on raw container tasks. Empty: none.
std::string_view PrimaryContainerOf(
    const kubernetes::meta::v1::ObjectMeta& metadata);

// gpufault.ClassifyFailure of the branch
// gpu-forward/gpu-failure-classification, not released: `failure` of the pod
// with the faults of its devices, which a node daemon records as events, that
// can explain it: those from 30 minutes before its end to two minutes after.
// The first critical one makes it the system's; else the first of the user's
// makes it the user's if the failure has no code of its own.
PhaseInfo WithGpuFaults(
    PhaseInfo failure, const Pod& pod,
    const google::protobuf::RepeatedPtrField<kubernetes::core::v1::Event>&
        events,
    absl::Time now);

// Pods of the report: v2 looks at one of them before the resource.
struct Surroundings {
  const google::protobuf::RepeatedPtrField<Pod>& pods;
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

// launchResource of the plugin manager, when the object could not be built
// from the task or the API server answered with an error. `is_pod`: the object
// is a plain pod, the only kind that v1's quota back-off guards.
PhaseResult CreationPhase(const v1::CreationError& error, bool is_pod,
                          const Settings& settings);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_PLUGINS_H_
