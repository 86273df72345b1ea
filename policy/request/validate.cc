#include "policy/request/validate.h"

#include "policy/limits.h"
#include "policy/request/field_checks.h"
#include "policy/request/field_path.h"
#include "policy/request/validate_parts.h"

namespace mulligan {
namespace {

void CheckPresence(bool has_report, Violations& violations) {
  if (!has_report) {
    violations.Add(FieldPath("report"), "absent, expected what failed");
  }
}

}  // namespace

std::vector<FieldViolation> Validate(const v1::DecideRequest& request) {
  Violations violations;
  CheckPresence(request.has_report(), violations);
  if (request.has_report()) ValidateReport(request.report(), violations);
  if (request.has_ledger()) ValidateLedger(request.ledger(), violations);
  ValidateRecent(request.recent(), violations);
  CheckText(request.policy(), kMaxNameBytes, FieldPath("policy"), violations);
  CheckText(request.request_id(), kMaxIdBytes, FieldPath("requestId"),
            violations);
  return violations.Take();
}

std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request) {
  Violations violations;
  CheckPresence(request.has_report(), violations);
  if (request.has_report()) ValidateReport(request.report(), violations);
  CheckText(request.policy(), kMaxNameBytes, FieldPath("policy"), violations);
  return violations.Take();
}

}  // namespace mulligan
