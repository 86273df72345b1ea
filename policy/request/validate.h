// The check of a request against the bounds on what may be asked.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_H_

#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/refusal.h"

namespace mulligan {

// Every violation of `request` at once; empty when it is acceptable. Bounds
// are in policy/limits.h. Unknown enum numbers are not violations: a newer
// client is answered with a warning.
std::vector<FieldViolation> Validate(const v1::DecideRequest& request);
std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_H_
