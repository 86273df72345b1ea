// Releases of training-operator v1 and which exit codes they retry; its jobs:
// the six kinds, their replicas, what the webhook refuses, and the rule by
// which their conditions change.
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

enum class Framework { kPyTorch, kTensorFlow, kMpi, kXgBoost, kPaddle, kJax };

struct Kind {
  Framework framework;
  // "PyTorchJob": also the start of every reason.
  std::string_view name;
  // Container whose exit code counts.
  std::string_view container;
  // Restart policy of a replica that has none.
  std::string_view restart_policy;
  // The map of replicas in the spec, and its JSON name.
  const google::protobuf::Map<std::string, ReplicaSpec>& (
      TrainingJobSpec::*replicas)() const;
  std::string_view replicas_field;
  // Types of replicas, in the order of their names.
  std::span<const std::string_view> types;
  // Of which there must be exactly one; empty: none.
  std::string_view single;
};

// Whether it is an MPIJob of mpi-operator, which has rules of its own
// (native/mpijob).
inline bool IsOfMpiOperator(const TrainingJob& job) {
  return job.api_version() == "kubeflow.org/v2beta1";
}

// The kind `job` says it is, else the one whose replicas are filled; null when
// neither tells.
const Kind* KindOf(const TrainingJob& job);

// The kind called `name`, or null.
const Kind* FindKind(std::string_view name);

// "PyTorchJob" and "Failed" make "PyTorchJobFailed".
std::string Reason(const Kind& kind, std::string_view what);

// The replicas with what the operator fills in: one replica, none of an
// MPIJob's workers, and the kind's restart policy.
Replicas ReplicasOf(const TrainingJob& job, const Kind& kind);

// Errors: replica types the kind does not have, masters and launchers that are
// not one, a template without the container whose exit code counts (one without
// containers, as in a report cut down, is not checked). Warnings: negative
// limits, restart policies of a newer release.
ObjectIssues ValidateTrainingJob(const TrainingJob& job, const Kind& kind);

// Whether a TFJob has a replica that decides for all: "Chief" or "Master".
bool HasChief(const Replicas& replicas);

// Types of conditions; a reason is the kind's name and one of them, or
// "Resumed".
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kRestarting = "Restarting";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kFailed = "Failed";

// Succeeded or Failed is True.
bool IsFinished(const JobStatus& status);

// Appends the condition, in place of one of the same type. Its times are read
// by nobody.
//   Failed is True          nothing changes any more
//   same status and reason  nothing changes, whatever the message
//   Running, Restarting     each removes the other
//   Failed, Succeeded       turn a Running condition False
void SetCondition(std::string_view type, bool value, const std::string& reason,
                  const std::string& message, JobStatus& status);

// kubeflow/common since August 2020, and all of training-operator v1: every
// code from 128 on.
inline bool IsRetryableExitCode(std::int32_t code) { return code >= 128; }

// What changes the outcome of a failure, with the defaults of release 1.9.
struct Version {
  // Since 1.9: a job managed by another controller is left alone.
  bool managed_by = true;
  // Times the work queue has already repeated the job's key. In the operator's
  // memory only: nothing in the reported objects tells.
  std::int64_t requeues = 0;
};

// versions["kubeflow"]: a release ("1.8", "v1.8.1"; absent: 1.9), of which the
// last two are told apart; settings["kubeflow.requeues"].
Setup<Version> VersionFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_NATIVE_KUBEFLOW_TRAINING_JOB_H_
