// What the API server refuses in a Job, as far as failures are handled by it.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_

#include <string>
#include <vector>

#include "policy/operators/job/settings.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::job {

struct JobSpecIssues {
  // Every refusal with the API server's limits, in its order.
  FieldErrors errors;
  // Values of open lists that are not known: the spec may come from a newer
  // Kubernetes, and a client must pass over actions and operators it does not
  // know.
  std::vector<std::string> warnings;
};

// Expects the defaults, as the API server validates after defaulting. Checked
// are limits, deadlines, completion mode, both policies, podReplacementPolicy,
// the length of managedBy and the template's restartPolicy; not the rest of
// the template and the selector. A spec without a template, which reports may
// leave out, is not refused for want of it.
JobSpecIssues ValidateJobSpec(const JobSpec& spec);

// The parts for spec.podFailurePolicy, and for spec.successPolicy of an Indexed
// Job.
void CheckPodFailurePolicy(const JobSpec& spec, FieldErrors& errors);
void CheckSuccessPolicy(const JobSpec& spec, FieldErrors& errors);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
