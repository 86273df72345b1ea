// The command line: commands, flags, help.
#ifndef MULLIGAN_CLIENT_CLI_FLAGS_H_
#define MULLIGAN_CLIENT_CLI_FLAGS_H_

#include "client/cli/base/command.h"

namespace mulligan::cli {

// Parses the arguments, runs the command and returns the exit code.
int RunCommandLine(int argc, const char* const* argv, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_FLAGS_H_
