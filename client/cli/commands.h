// The commands, each in its own file, and the flags that several of them have.
#ifndef MULLIGAN_CLIENT_CLI_COMMANDS_H_
#define MULLIGAN_CLIENT_CLI_COMMANDS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/cli/base/command.h"
#include "client/cli/input/inputs.h"

namespace mulligan::cli {

// Each adds its command to `app`. The one that is parsed runs and sets `code`,
// the exit code.
void AddExplain(CLI::App& app, Streams& streams, int& code);
void AddDecide(CLI::App& app, Streams& streams, int& code);
void AddPolicy(CLI::App& app, Streams& streams, int& code);
void AddReplay(CLI::App& app, Streams& streams, int& code);
void AddHealthcheck(CLI::App& app, Streams& streams, int& code);

// Below `policy`.
void AddPolicySchema(CLI::App& policy, Streams& streams, int& code);
void AddPolicyTest(CLI::App& policy, Streams& streams, int& code);
void AddPolicyDiff(CLI::App& policy, Streams& streams, int& code);

// The flags that say how a command prints, in one of `formats`. What flags
// store into outlives the parsing.
void AddOutputFlags(CLI::App& command, OutputOptions& output,
                    std::vector<std::string> formats = {"human", "json",
                                                        "yaml"});

// The flags of commands that answer about a workload.
void AddAnswerFlags(CLI::App& command, OutputOptions& output);
void AddRequestFlags(CLI::App& command, RequestOptions& request);

// With no file named, `... | mulligan explain` still says what is meant. False:
// there is no input, which was said.
bool DefaultToStandardInput(RequestOptions& request, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_COMMANDS_H_
