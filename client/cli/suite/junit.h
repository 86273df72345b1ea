// Test results in the form that continuous integration reads.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_JUNIT_H_
#define MULLIGAN_CLIENT_CLI_SUITE_JUNIT_H_

#include <string>

#include "mulligan/v1/policy_test.pb.h"

namespace mulligan::cli {

// JUnit XML: a testsuite for each file, a testcase for each case. A suite that
// could not run is one testcase with an error.
std::string ToJunit(const v1::PolicyTestReport& report);

// "step 2, repetition 3: action is FAIL, expected RETRY".
std::string DescribeFailure(const v1::PolicyTestFailure& failure);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_JUNIT_H_
