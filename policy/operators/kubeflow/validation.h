// What the webhook of training-operator v1 refuses, as far as failures are
// handled by it.
#ifndef MULLIGAN_POLICY_OPERATORS_KUBEFLOW_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_KUBEFLOW_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/operators/kubeflow/training_job.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::kubeflow {

struct TrainingJobIssues {
  // Replica types the kind does not have, masters and launchers that are not
  // one, a template without the container whose exit code counts.
  FieldErrors errors;
  // What it lets pass although it does not work as one would think: negative
  // limits, restart policies of a newer release.
  std::vector<std::string> warnings;
};

// A template without containers, as in a report cut down, is not checked.
TrainingJobIssues ValidateTrainingJob(const TrainingJob& job, const Kind& kind);

}  // namespace mulligan::kubeflow

#endif  // MULLIGAN_POLICY_OPERATORS_KUBEFLOW_VALIDATION_H_
