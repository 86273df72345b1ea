// `mulligan conformance`: the operators' own tests against native semantics.
#ifndef MULLIGAN_CLIENT_CLI_CONFORMANCE_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_CONFORMANCE_COMMAND_H_

#include <string>
#include <vector>

#include "client/cli/command.h"

namespace mulligan::cli {

struct ConformanceOptions {
  // Case files, one JSON object a line; "-": standard input.
  std::vector<std::string> files;
  OutputOptions output;
};

// Runs every file and prints what passed, failed and is out of scope. Returns
// kExitCaseFailed when a case failed, kExitUsage for a file that cannot be read
// or holds no case: then there is no result to print for it.
int RunConformance(const ConformanceOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_CONFORMANCE_COMMAND_H_
