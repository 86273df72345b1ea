// Refusals that name the fields they are about.
#ifndef MULLIGAN_POLICY_REQUEST_REFUSAL_H_
#define MULLIGAN_POLICY_REQUEST_REFUSAL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace mulligan {

// A field that is not acceptable.
struct FieldViolation {
  // JSON path from the request: "report.pods[3].status.containerStatuses".
  std::string field;
  // The value found and the expected form.
  std::string description;
};

// INVALID_ARGUMENT with this message, which carries the violations along.
absl::Status Refusal(std::string_view message,
                     const std::vector<FieldViolation>& violations);

// The same, saying "field: description; ..."; OK when there are none.
absl::Status RefuseViolations(const std::vector<FieldViolation>& violations);

// What a status carries along.
std::vector<FieldViolation> ViolationsIn(const absl::Status& status);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_REFUSAL_H_
