// What training-operator v1 does about the pods of one replica type.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPLICAS_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPLICAS_H_

#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/kubeflow/kinds.h"
#include "policy/operators/kubeflow/types.h"
#include "policy/operators/kubeflow/version.h"

namespace mulligan::kubeflow {

// A job and everything its controller looks at in one pass.
struct Scene {
  const TrainingJob& job;
  const Kind& kind;
  // With the operator's defaults.
  const Replicas& replicas;
  // The job's pods.
  const Pods& pods;
  Version version;
  google::protobuf::Timestamp now;
};

enum class PodVerdict {
  // The pod is left to the kubelet and to the kind's status logic.
  kLeft,
  // Deleted, and created again in the next pass, with no delay and no limit.
  kRestarted,
  // Its exit code is permanent: the job has failed.
  kFailsJob,
};

// What a pod of a replica leads to. Only phase Failed leads to anything.
PodVerdict VerdictOn(const Pod& pod, const ReplicaSpec& spec, const Kind& kind,
                     const Version& version);

// Handles the pods of one replica type: counts them in `status`, sets
// Restarting or Failed, and appends those that are deleted to be created again.
// The scope is always the single pod. MPIJobs are not handled this way.
void ReconcileReplica(const Scene& scene, const std::string& type,
                      JobStatus& status, Pods& restarted);

// Counts the pods of an MPIJob by launcher and workers. When the launcher is at
// its end the workers are not counted.
void CountMpiPods(const Scene& scene, JobStatus& status);

// Whether worker 0 of a TFJob ended with exit code 0. True when there are no
// workers at all.
bool IsWorker0Completed(const Scene& scene);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_REPLICAS_H_
