// What the API server refuses in a Workload, as far as failures are handled by
// it (kueue.x-k8s.io/v1beta2).
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

struct WorkloadIssues {
  // Refusals, with the path of the field.
  FieldErrors errors;
  // Words of a newer Kueue, which are taken as they are.
  std::vector<std::string> warnings;
};

WorkloadIssues ValidateWorkload(const Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_VALIDATION_H_
