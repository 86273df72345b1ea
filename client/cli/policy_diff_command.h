// `mulligan policy diff`.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_DIFF_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_POLICY_DIFF_COMMAND_H_

#include <string>

#include "client/cli/base/command.h"

namespace mulligan::cli {

struct PolicyDiffOptions {
  // Policy files or directories; "embedded" stands for the built-in policies.
  std::string before;
  std::string after;
  // DecideRequests or DecisionRecords, one a line.
  std::string requests;
  OutputOptions output;
};

// Prints which answers differ. Returns the exit code: as of diff(1) kExitOk
// when none does and kExitDiffers when one does; kExitUsage when nothing was
// compared, or a line has no answer from either.
int RunPolicyDiff(const PolicyDiffOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_DIFF_COMMAND_H_
