// The command line of `mulligan policy ...`.
#ifndef MULLIGAN_CLIENT_CLI_POLICY_FLAGS_H_
#define MULLIGAN_CLIENT_CLI_POLICY_FLAGS_H_

#include "CLI/CLI.hpp"
#include "client/cli/base/command.h"
#include "client/cli/output_flags.h"
#include "client/cli/policy_command.h"
#include "client/cli/policy_diff_command.h"
#include "client/cli/policy_test_command.h"

namespace mulligan::cli {

// What the flags are stored in; outlives the parsing.
struct PolicyValues {
  PolicyCheckOptions check;
  std::string schema_form = "editor";
  PolicyTestOptions test;
  PolicyDiffOptions diff;
  OutputFlags output;
};

// Adds `policy` with its commands. The one that is parsed runs and sets `code`.
void AddPolicyCommands(CLI::App& app, PolicyValues& values, Streams& streams,
                       int& code);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_POLICY_FLAGS_H_
