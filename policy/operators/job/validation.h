// What the API server refuses in a Job, as far as failures are handled by it.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "policy/operators/job/types.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::job {

// Every refusal with the API server's limits, in its order; empty: accepted.
// Expects the defaults, as the API server validates after defaulting. Checked
// are limits, deadlines, completion mode, both policies, podReplacementPolicy,
// the length of managedBy and the template's restartPolicy; not the rest of
// the template and the selector. `path` is the place of the spec: "spec".
FieldErrors ValidateJobSpec(const JobSpec& spec, std::string_view path);

// The same for a spec that may come from a newer Kubernetes: values of open
// lists that are not known become warnings, since a client must pass over
// actions and operators it does not know.
struct JobSpecIssues {
  FieldErrors errors;
  std::vector<std::string> warnings;
};
JobSpecIssues KubernetesJobSpecIssues(const JobSpec& spec,
                                      std::string_view path);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
