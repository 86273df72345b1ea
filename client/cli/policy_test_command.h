// `mulligan policy test`.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_TEST_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_POLICY_TEST_COMMAND_H_

#include <string>
#include <vector>

#include "client/cli/base/command.h"

namespace mulligan::cli {

struct PolicyTestOptions {
  // Suites, and folders with suites and policies.
  std::vector<std::string> paths;
  OutputOptions output;
  // File that receives the results as JUnit XML; empty: none.
  std::string junit;
  // Least share of rules that decide, 0 to 100.
  int coverage_min = 0;
};

// Runs the suites and prints what they found. Returns the exit code: kExitOk
// when all is as expected, kExitDiffers when not, kExitUsage for a suite that
// cannot run, kExitPolicyInvalid when its policies have errors.
int RunPolicyTest(const PolicyTestOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_TEST_COMMAND_H_
