// `mulligan policy check`, `mulligan policy show` and `mulligan policy schema`.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_POLICY_COMMAND_H_

#include <string>
#include <vector>

#include "client/cli/base/command.h"
#include "client/cli/policy_schema.h"

namespace mulligan::cli {

struct PolicyCheckOptions {
  // Files and directories, loaded together.
  std::vector<std::string> paths;
  OutputOptions output;
  // Warnings fail, too.
  bool strict = false;
};

// Prints all problems, or a CheckPolicyResponse as JSON. Returns the exit code.
int RunPolicyCheck(const PolicyCheckOptions& options, Streams& streams);

// Prints the embedded default policy as YAML.
int RunPolicyShow(Streams& streams);

// Prints the JSON Schema of policy files.
int RunPolicySchema(SchemaForm form, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_COMMAND_H_
