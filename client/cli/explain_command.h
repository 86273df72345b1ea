// `mulligan explain`: decides here, with the code of the server.
#ifndef MULLIGAN_CLIENT_CLI_EXPLAIN_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_EXPLAIN_COMMAND_H_

#include <string>
#include <vector>

#include "client/cli/base/command.h"
#include "client/cli/input/request_options.h"

namespace mulligan::cli {

struct ExplainOptions {
  RequestOptions request;
  OutputOptions output;
  // Policy files and directories; none: the embedded default.
  std::vector<std::string> policies;
};

// Returns the exit code.
int RunExplain(const ExplainOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_EXPLAIN_COMMAND_H_
