// Validation of a report.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_

#include "mulligan/v1/report.pb.h"
#include "policy/request/field_path.h"

namespace mulligan {

// Adds each violation of `report`, which is at `path`.
void ValidateReport(const v1::FailureReport& report, const FieldPath& path);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_REPORT_H_
