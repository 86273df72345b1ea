// Streams, exit codes and error messages that all commands share.
#ifndef MULLIGAN_CLIENT_CLI_BASE_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_BASE_COMMAND_H_

#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mulligan::cli {

// Public interface, documented in docs/cli.md.
enum ExitCode : int {
  // The command answered, with any verdict.
  kExitOk = 0,
  // A bug, or the output could not be written.
  kExitInternal = 1,
  // A command that compares found a difference, as in diff(1).
  kExitDiffers = 1,
  // A flag, file or request is not acceptable.
  kExitUsage = 2,
  // A policy has errors.
  kExitPolicyInvalid = 3,
  // The server is unreachable, refuses to serve or did not answer.
  kExitNoAnswer = 4,
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

// Prints "mulligan: ..." to `streams.err` on one line.
void PrintError(Streams& streams, std::string_view message);

// Prints the message of `status` and returns its exit code: kExitUsage if the
// request is at fault, else kExitInternal.
int Fail(Streams& streams, const absl::Status& status);

// Prints each of `warnings` on its own line.
void PrintWarnings(Streams& streams, const std::vector<std::string>& warnings);

// Prints `text` to `streams.out`, or its status, and returns the exit code.
int Print(Streams& streams, const absl::StatusOr<std::string>& text);

// Flushes the output. If that fails, prints a message and returns
// kExitInternal.
int FinishOutput(Streams& streams);

enum class OutputFormat { kHuman, kJson, kYaml, kHtml };

// Returns whether people read the format, not programs.
inline bool IsForPeople(OutputFormat format) {
  return format == OutputFormat::kHuman || format == OutputFormat::kHtml;
}

struct OutputOptions {
  OutputFormat format = OutputFormat::kHuman;
  bool color = false;
};

// Returns whether --color=`when` ("auto", "always" or "never") asks for
// colours. "auto" does if stdout is a terminal, unless NO_COLOR is set
// (no-color.org) or TERM is "dumb".
bool WantsColor(std::string_view when);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_COMMAND_H_
