// Short forms for tests of the diagnosis.
#ifndef MULLIGAN_TESTS_POLICY_DEMYSTIFY_DIAGNOSE_H_
#define MULLIGAN_TESTS_POLICY_DEMYSTIFY_DIAGNOSE_H_

#include <string_view>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/demystify.h"

namespace mulligan::demystify {

// Parses a FailureReport in text format; a mistake fails the test.
v1::FailureReport Report(std::string_view text);

// The diagnosis, written in the detail of a summary unless stated otherwise.
v1::Diagnosis Diagnose(const v1::FailureReport& report,
                       const DemystifyOptions& options = {},
                       Findings* findings = nullptr, bool full = false);
v1::Diagnosis Diagnose(std::string_view text);

// A failed pod "p-0" whose only container "main" ended with these values.
v1::FailureReport FailedPod(int exit_code, std::string_view reason,
                            std::string_view message = {});

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TESTS_POLICY_DEMYSTIFY_DIAGNOSE_H_
