// How people write command lines, and what is wrong with those that do not
// parse.
#ifndef MULLIGAN_CLIENT_CLI_COMMAND_LINE_H_
#define MULLIGAN_CLIENT_CLI_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace mulligan::cli {

// The arguments after the program's name with `help` as the flag: {help,
// policy, check} and {policy, check, help} as {policy, check, --help}. At the
// end it is only taken so after nothing but commands of `app`, and when there
// is no file of that name.
std::vector<std::string> WithHelpFlag(const CLI::App& app,
                                      std::vector<std::string> arguments);

// One sentence about `arguments`, which `app` refused with `error`: names what
// is no command and those there are, or repeats the error and says where help
// is.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error,
                       const std::vector<std::string>& arguments);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_COMMAND_LINE_H_
