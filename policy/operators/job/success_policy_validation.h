// What the API server refuses in a success policy.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_VALIDATION_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_VALIDATION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/operators/job/types.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::job {

// Every refusal in the API server's order. `path` is the place of the policy,
// "spec.successPolicy", `completions` those of the Indexed Job around it.
FieldErrors ValidateSuccessPolicy(const SuccessPolicy& policy,
                                  std::string_view path,
                                  std::int64_t completions);

// The policy as the API server prints it: JSON with the names of Go.
std::string SuccessPolicyAsJson(const SuccessPolicy& policy);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_SUCCESS_POLICY_VALIDATION_H_
