// What the webhook of training-operator v1 refuses, as far as failures are
// handled by it.
#ifndef MULLIGAN_POLICY_NATIVE_TRAINING_OPERATOR_VALIDATION_H_
#define MULLIGAN_POLICY_NATIVE_TRAINING_OPERATOR_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/native/kubernetes_field_error.h"
#include "policy/native/training_operator_kinds.h"
#include "policy/native/training_operator_types.h"

namespace mulligan::training_operator {

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

}  // namespace mulligan::training_operator

#endif  // MULLIGAN_POLICY_NATIVE_TRAINING_OPERATOR_VALIDATION_H_
