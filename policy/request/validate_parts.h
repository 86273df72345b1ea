// The parts of Validate.
#ifndef MULLIGAN_POLICY_REQUEST_VALIDATE_PARTS_H_
#define MULLIGAN_POLICY_REQUEST_VALIDATE_PARTS_H_

#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/recent.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/field_path.h"

namespace mulligan {

void ValidateReport(const v1::FailureReport& report, Violations& violations);

// Whether it may be a ledger this service returned. What it returned is always
// valid, so a violation means that somebody edited or damaged it.
void ValidateLedger(const v1::BudgetLedger& ledger, Violations& violations);

void ValidateRecent(
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    Violations& violations);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_VALIDATE_PARTS_H_
