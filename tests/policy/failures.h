// Failures for tests of decisions.
#ifndef MULLIGAN_TESTS_POLICY_FAILURES_H_
#define MULLIGAN_TESTS_POLICY_FAILURES_H_

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"

namespace mulligan::testing {

// The failure in `report` from which `diagnosis` would be written, as far as it
// has codes, numbers and names. Without facts; `found` is never null.
Failure FailureIn(
    const v1::Diagnosis& diagnosis,
    const v1::FailureReport& report = v1::FailureReport::default_instance());

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_POLICY_FAILURES_H_
