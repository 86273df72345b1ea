// Errors that list the invalid fields.
#ifndef MULLIGAN_POLICY_REQUEST_REFUSAL_H_
#define MULLIGAN_POLICY_REQUEST_REFUSAL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace mulligan {

// An invalid field.
struct FieldViolation {
  // JSON path from the request: "report.pods[3].status.containerStatuses".
  std::string field;
  // The value found and what was expected.
  std::string description;
};

// Returns INVALID_ARGUMENT with the message and the violations as details.
absl::Status Refusal(std::string_view message,
                     const std::vector<FieldViolation>& violations);

// Returns the same with the message "field: description; ..."; OK if there are
// no violations.
absl::Status RefuseViolations(const std::vector<FieldViolation>& violations);

// Returns the violations in the details of `status`.
std::vector<FieldViolation> ViolationsIn(const absl::Status& status);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_REFUSAL_H_
