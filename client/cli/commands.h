// The commands, each in its own file, and the flags that several share.
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
#include "client/client.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Each adds its command to `app`. The command that is parsed runs and sets
// `code`, the exit code.
void AddExplain(CLI::App& app, Streams& streams, int& code);
void AddDecide(CLI::App& app, Streams& streams, int& code);
void AddPolicy(CLI::App& app, Streams& streams, int& code);
void AddReplay(CLI::App& app, Streams& streams, int& code);
void AddReport(CLI::App& app, Streams& streams, int& code);
void AddPlayground(CLI::App& app, Streams& streams, int& code);
// `command_line` is what follows "--".
void AddRun(CLI::App& app, const std::vector<std::string>& command_line,
            Streams& streams, int& code);
void AddSlurm(CLI::App& app, Streams& streams, int& code);
void AddHealthcheck(CLI::App& app, Streams& streams, int& code);

// Below `policy`.
void AddPolicySchema(CLI::App& policy, Streams& streams, int& code);
void AddPolicyTest(CLI::App& policy, Streams& streams, int& code);
void AddPolicyDiff(CLI::App& policy, Streams& streams, int& code);
void AddPolicyImport(CLI::App& policy, Streams& streams, int& code);

// Prints what two sets answer differently to the requests or decision records
// in a file, one a line. Returns the exit code of `mulligan policy diff`.
int PrintPolicyDiff(const std::string& requests, const PolicySet& before,
                    const PolicySet& after, const OutputOptions& output,
                    Streams& streams);

// Adds command `name` to `parent`. `run` returns its exit code. The options
// live as long as the command.
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

// Adds a flag (repeatable if `value` is a vector) or, without dashes, an
// argument. `type` is the value's name in the help.
template <typename Value>
CLI::Option* AddOption(CLI::App& command, const std::string& names,
                       Value& value, const char* help, const char* type) {
  CLI::Option* const option =
      command.add_option(names, value, help)->type_name(type);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return option;
}

// Adds the output flags, with one of `formats`. `output` must outlive the
// parsing.
void AddOutputFlags(CLI::App& command, OutputOptions& output,
                    std::vector<std::string> formats = {"text", "json",
                                                        "yaml"});

// Adds the flags of commands that answer about a workload.
void AddAnswerFlags(CLI::App& command, OutputOptions& output);
void AddRequestFlags(CLI::App& command, RequestOptions& request);

// Reads standard input if no file is named. Returns false, after an error
// message, if it is a terminal.
bool DefaultToStandardInput(RequestOptions& request, Streams& streams);

// The flags of commands that ask a server.
struct ServerFlags {
  // "HOST:PORT".
  std::string server;
  // The deadline of one call, for absl::ParseDuration: "5s", "500ms".
  std::string deadline;
  ClientTls tls;
};

void AddServerFlags(CLI::App& command, ServerFlags& server);

// INVALID_ARGUMENT names the flag.
absl::StatusOr<std::unique_ptr<Client>> Connect(const ServerFlags& options);

// Returns the status's message, or the probable mistake in the connection.
std::string WhyNot(const ServerFlags& server, const absl::Status& status);

// Flags of commands that decide by themselves: with local policies, or with a
// server if one is named.
struct AskFlags {
  std::vector<std::string> policies;
  std::string policy_name;
  ServerFlags server;
};

void AddAskFlags(CLI::App& command, AskFlags& flags);

// Gets decisions from where the flags say. Open() prints mistakes in the flags
// and returns the exit code. REQUIRES: Open() returned kExitOk before Ask().
class Asker {
 public:
  int Open(const AskFlags& flags, Streams& streams);
  absl::StatusOr<v1::DecideResponse> Ask(v1::DecideRequest request) const;

 private:
  const AskFlags* flags_ = nullptr;
  LoadedPolicies policies_;
  std::unique_ptr<Client> client_;
};

// Where a command gets its decisions.
struct Answerer {
  std::function<absl::StatusOr<v1::DecideResponse>(const v1::DecideRequest&)>
      decide;
  // Turns the status of `decide` into a message and an exit code.
  std::function<int(Streams&, const absl::Status&)> fail;
  // Returns the lines of a rule; empty function if the policy is unavailable.
  std::function<RuleLines(const v1::RuleReference&)> rule_lines;
};

// Reads the input, asks, stores the ledger if requested and prints the answer,
// with warnings about the input. Returns the exit code.
int AnswerOne(const RequestOptions& request_options,
              const OutputOptions& output, const Answerer& answerer,
              Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_COMMANDS_H_
