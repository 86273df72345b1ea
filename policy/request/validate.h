// Bounds on what may be asked, and the check of a request against them.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_H_

#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// A field that is not acceptable.
struct FieldViolation {
  // JSON path from the request: "report.pods[3].status.containerStatuses".
  std::string field;
  // The value found and the expected form.
  std::string description;
};

// Every violation of `request` at once; empty when it is acceptable. Bounds
// are in policy/limits.h. Unknown enum numbers are not violations: a newer
// client is answered with a warning.
std::vector<FieldViolation> Validate(const v1::DecideRequest& request);
std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_H_
