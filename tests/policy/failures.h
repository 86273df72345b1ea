// Failures for tests of what is decided about them.
#ifndef MULLIGAN_TESTS_POLICY_FAILURES_H_
#define MULLIGAN_TESTS_POLICY_FAILURES_H_

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"

namespace mulligan::testing {

// The failure in `report` that `diagnosis` would be written of, as far as it
// has codes, numbers and names. Without facts, but never with a null `found`.
Failure FailureIn(
    const v1::Diagnosis& diagnosis,
    const v1::FailureReport& report = v1::FailureReport::default_instance());

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_POLICY_FAILURES_H_
