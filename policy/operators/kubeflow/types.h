// Short names for what the logic of training-operator v1 is about.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_TYPES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"

namespace mulligan::kubeflow {

using TrainingJob = kubernetes::kubeflow::v1::TrainingJob;
using TrainingJobSpec = kubernetes::kubeflow::v1::TrainingJobSpec;
using ReplicaSpec = kubernetes::kubeflow::v1::ReplicaSpec;
using RunPolicy = kubernetes::kubeflow::v1::RunPolicy;
using JobStatus = kubernetes::kubeflow::v1::JobStatus;
using JobCondition = kubernetes::kubeflow::v1::JobCondition;
using ReplicaStatus = kubernetes::kubeflow::v1::ReplicaStatus;
using Pod = kubernetes::core::v1::Pod;
using ContainerStatus = kubernetes::core::v1::ContainerStatus;

// In the order in which they were listed; not owned, never null.
using Pods = std::vector<const Pod*>;

// By replica type: "Worker". Ordered by name, where the operator's own maps
// have no order.
using Replicas = std::map<std::string, ReplicaSpec>;

// Labels of pods. The value of the type is in lower case.
inline constexpr std::string_view kReplicaTypeLabel =
    "training.kubeflow.org/replica-type";
inline constexpr std::string_view kReplicaIndexLabel =
    "training.kubeflow.org/replica-index";
inline constexpr std::string_view kJobNameLabel =
    "training.kubeflow.org/job-name";

// Restart policies of a replica.
inline constexpr std::string_view kAlways = "Always";
inline constexpr std::string_view kOnFailure = "OnFailure";
inline constexpr std::string_view kNever = "Never";
inline constexpr std::string_view kExitCode = "ExitCode";

// Pod phases.
inline constexpr std::string_view kPodRunning = "Running";
inline constexpr std::string_view kPodSucceeded = "Succeeded";
inline constexpr std::string_view kPodFailed = "Failed";

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_TYPES_H_
