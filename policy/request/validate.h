// Validation of a request against policy/limits.h.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_H_

#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/owners.h"
#include "policy/request/refusal.h"

namespace mulligan {

// Returns all violations of `request`; empty if it is acceptable. Unknown enum
// numbers of a newer client get a warning instead, except in hints.
// REQUIRES: `owners` is of the request's report.
std::vector<FieldViolation> Validate(const v1::DecideRequest& request,
                                     const Owners& owners);
std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request,
                                     const Owners& owners);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_H_
