// Releases of training-operator v1 and the exit codes that they retry; its six
// kinds of jobs, their replicas, webhook validation and condition changes.
#ifndef MULLIGAN_POLICY_NATIVE_KUBEFLOW_TRAINING_JOB_H_
#define MULLIGAN_POLICY_NATIVE_KUBEFLOW_TRAINING_JOB_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"
#include "policy/native/release.h"

namespace mulligan::kubeflow {

using TrainingJob = kubernetes::kubeflow::v1::TrainingJob;
using TrainingJobSpec = kubernetes::kubeflow::v1::TrainingJobSpec;
using ReplicaSpec = kubernetes::kubeflow::v1::ReplicaSpec;
using RunPolicy = kubernetes::kubeflow::v1::RunPolicy;
using JobStatus = kubernetes::kubeflow::v1::JobStatus;
using JobCondition = kubernetes::kubeflow::v1::JobCondition;
using ReplicaStatus = kubernetes::kubeflow::v1::ReplicaStatus;
using Pod = kubernetes::core::v1::Pod;

// By replica type, such as "Worker". Ordered by name, although the operator's
// maps have no order.
using Replicas = std::map<std::string, ReplicaSpec>;

// Labels of pods. The type's value is in lower case.
inline constexpr std::string_view kReplicaTypeLabel =
    "training.kubeflow.org/replica-type";
inline constexpr std::string_view kReplicaIndexLabel =
    "training.kubeflow.org/replica-index";
inline constexpr std::string_view kJobNameLabel =
    "training.kubeflow.org/job-name";

inline constexpr std::string_view kAlways = "Always";
inline constexpr std::string_view kOnFailure = "OnFailure";
inline constexpr std::string_view kNever = "Never";
inline constexpr std::string_view kExitCode = "ExitCode";

enum class Framework { kPyTorch, kTensorFlow, kMpi, kXgBoost, kPaddle, kJax };

struct Kind {
  Framework framework;
  // "PyTorchJob", which also starts every reason.
  std::string_view name;
  // The container whose exit code counts.
  std::string_view container;
  // The restart policy of a replica that has none.
  std::string_view restart_policy;
  // The map of replicas in the spec, and its JSON name.
  const google::protobuf::Map<std::string, ReplicaSpec>& (
      TrainingJobSpec::*replicas)() const;
  std::string_view replicas_field;
  // Replica types, sorted by name.
  std::span<const std::string_view> types;
  // The type that must have exactly one replica; empty if none.
  std::string_view single;
};

// Returns whether this is an MPIJob of mpi-operator, which has its own rules
// (native/mpijob).
inline bool IsOfMpiOperator(const TrainingJob& job) {
  return job.api_version() == "kubeflow.org/v2beta1";
}

// Returns the kind that `job` states, else the one whose replicas are set; null
// if neither.
const Kind* KindOf(const TrainingJob& job);

// Returns the kind called `name`, or null.
const Kind* FindKind(std::string_view name);

// Returns "PyTorchJobFailed" for "PyTorchJob" and "Failed".
std::string Reason(const Kind& kind, std::string_view what);

// Returns the replicas with the operator's defaults: one replica, none for an
// MPIJob's workers, and the kind's restart policy.
Replicas ReplicasOf(const TrainingJob& job, const Kind& kind);

// Errors: replica types that the kind does not have, a number of masters or
// launchers other than one, a template without the container whose exit code
// counts (not checked without any containers, because reports may omit them).
// Warnings: negative limits, restart policies of newer releases.
ObjectIssues ValidateTrainingJob(const TrainingJob& job, const Kind& kind);

// Returns whether a TFJob has a deciding replica: "Chief" or "Master".
bool HasChief(const Replicas& replicas);

// Condition types. A reason is the kind's name plus one of them or "Resumed".
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kRestarting = "Restarting";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kFailed = "Failed";

// Returns whether Succeeded or Failed is True.
bool IsFinished(const JobStatus& status);

// Adds the condition, replacing one of the same type. Its times are not read.
//   Failed is True          nothing changes any more
//   same status and reason  nothing changes, not even the message
//   Running, Restarting     each removes the other
//   Failed, Succeeded       turn a Running condition False
void SetCondition(std::string_view type, bool value, const std::string& reason,
                  const std::string& message, JobStatus& status);

// All codes from 128 on, in kubeflow/common since August 2020 and in all
// releases of training-operator v1.
inline bool IsRetryableExitCode(std::int32_t code) { return code >= 128; }

// Differences that change the outcome of a failure. Defaults: release 1.9.
struct Version {
  // Since 1.9: a job managed by another controller is ignored.
  bool managed_by = true;
  // Times that the work queue has already repeated the job's key. Kept only in
  // the operator's memory, so no reported object shows it.
  std::int64_t requeues = 0;
};

// Reads versions["kubeflow"] ("1.8", "v1.8.1"; absent: 1.9), which
// distinguishes only the last two releases, and settings["kubeflow.requeues"].
Setup<Version> VersionFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_NATIVE_KUBEFLOW_TRAINING_JOB_H_
