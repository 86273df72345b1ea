// One pass of training-operator v1 over a job.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/operators/kubeflow/replicas.h"
#include "policy/operators/kubeflow/types.h"

namespace mulligan::kubeflow {

// Which limit ended the job.
enum class Limit { kNone, kBackoff, kDeadline };

struct Pass {
  // The status the pass writes.
  JobStatus status;
  Limit limit = Limit::kNone;
  // Pods deleted to be created again.
  Pods restarted;
  // Pods deleted for good.
  Pods deleted;
};

// In this order, stopping at the first that applies: a finished job is cleaned
// up; a suspended one loses its pods, its Running condition and keeps its start
// time; a resumed one gets a new start time, and goes on; the limits; the
// replicas; the status. A job another controller manages is not for this.
Pass Reconcile(const Scene& scene);

// Condition Created, as the operator sets it when it first sees a job.
void SetCreated(const TrainingJob& job, const Kind& kind,
                const google::protobuf::Timestamp& now, JobStatus& status);

// The controller in charge when it is not this operator; nothing otherwise. An
// empty name is a name.
std::optional<std::string> ExternalManager(const RunPolicy& policy);

// Variables by which torchrun in the pods of an elastic PyTorchJob learns its
// own restart budget, PET_MAX_RESTARTS, and number of nodes, PET_NNODES. The
// operator never sees what is spent of it. Nothing without an elasticPolicy.
std::optional<std::map<std::string, std::string>> ElasticEnvironment(
    const TrainingJobSpec& spec);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_
