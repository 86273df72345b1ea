// The commands, each in its own file, and the flags that several of them have.
#ifndef MULLIGAN_CLIENT_CLI_COMMANDS_H_
#define MULLIGAN_CLIENT_CLI_COMMANDS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/policy_files.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Each adds its command to `app`. The one that is parsed runs and sets `code`,
// the exit code.
void AddExplain(CLI::App& app, Streams& streams, int& code);
void AddDecide(CLI::App& app, Streams& streams, int& code);
void AddPolicy(CLI::App& app, Streams& streams, int& code);
void AddReplay(CLI::App& app, Streams& streams, int& code);
void AddReport(CLI::App& app, Streams& streams, int& code);
void AddPlayground(CLI::App& app, Streams& streams, int& code);
void AddHealthcheck(CLI::App& app, Streams& streams, int& code);

// Below `policy`.
void AddPolicySchema(CLI::App& policy, Streams& streams, int& code);
void AddPolicyTest(CLI::App& policy, Streams& streams, int& code);
void AddPolicyDiff(CLI::App& policy, Streams& streams, int& code);

// The command `name` of `parent`, run by `run`, which returns the exit code.
// What its flags are stored into lives as long as it.
template <typename Options>
struct Command {
  CLI::App& app;
  Options& options;
};
template <typename Options>
Command<Options> AddCommand(const char* name, const char* does,
                            const char* footer, int (*run)(Options&, Streams&),
                            CLI::App& parent, Streams& streams, int& code) {
  CLI::App& app = *parent.add_subcommand(name, does);
  app.footer(footer);
  const auto options = std::make_shared<Options>();
  app.callback([=, &streams, &code] { code = run(*options, streams); });
  return {app, *options};
}

// A flag, of a vector one that is repeatable, or without dashes an argument;
// `type` is what the help calls its value.
template <typename Value>
CLI::Option* AddOption(CLI::App& command, const std::string& names,
                       Value& value, const char* help, const char* type) {
  CLI::Option* const option =
      command.add_option(names, value, help)->type_name(type);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return option;
}

// The flags that say how a command prints, in one of `formats`. What flags
// store into outlives the parsing.
void AddOutputFlags(CLI::App& command, OutputOptions& output,
                    std::vector<std::string> formats = {"text", "json",
                                                        "yaml"});

// The flags of commands that answer about a workload.
void AddAnswerFlags(CLI::App& command, OutputOptions& output);
void AddRequestFlags(CLI::App& command, RequestOptions& request);

// With no file named, `... | mulligan explain` still says what is meant. False:
// there is no input, which was said.
bool DefaultToStandardInput(RequestOptions& request, Streams& streams);

// Whom a command asks.
struct Answerer {
  std::function<absl::StatusOr<v1::DecideResponse>(const v1::DecideRequest&)>
      decide;
  // Turns the status of `decide` into a message and an exit code.
  std::function<int(Streams&, const absl::Status&)> fail;
  // The lines of a rule; empty where the policy is not at hand.
  std::function<RuleLines(const v1::RuleReference&)> rule_lines;
};

// Reads the input, asks, prints the answer, stores the ledger if asked to.
// Warnings about the input are put with those of the answer. Returns the exit
// code.
int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Answerer& answerer,
              Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_COMMANDS_H_
