// One pass of training-operator v1 over a job.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_

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
};

// In this order, stopping at the first that applies: a finished job stays so; a
// suspended one loses its Running condition and keeps its start time; a resumed
// one gets a new start time, and goes on; the limits; the replicas; the status.
// A job another controller manages is not for this.
Pass Reconcile(const Scene& scene);

// The controller in charge when it is not this operator; nothing otherwise. An
// empty name is a name.
std::optional<std::string> ExternalManager(const RunPolicy& policy);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_RECONCILE_H_
