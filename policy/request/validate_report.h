// Validation of a report.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_

#include "policy/request/field_path.h"
#include "policy/request/owners.h"

namespace mulligan {

// Adds each violation of the report of `owners`, which is at `path`.
void ValidateReport(const Owners& owners, const FieldPath& path);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_
