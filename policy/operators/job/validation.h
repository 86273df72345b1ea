// What the API server refuses in a Job, as far as failures are handled by it.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_

#include "policy/operators/job/objects.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::job {

// Expects the defaults, as the API server validates after defaulting. Checked
// are limits, deadlines, completion mode, both policies, podReplacementPolicy,
// the length of managedBy and the template's restartPolicy; not the rest of
// the template and the selector. A spec without a template, which reports may
// leave out, is not refused for want of it.
ObjectIssues ValidateJobSpec(const JobSpec& spec);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_VALIDATION_H_
