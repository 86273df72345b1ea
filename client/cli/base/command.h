// What all commands share: streams, exit codes, messages about failures.
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

// Part of the interface; documented in docs/cli.md.
enum ExitCode : int {
  // There is an answer, whatever the verdict.
  kExitOk = 0,
  // A defect of the program, or the output could not be written.
  kExitInternal = 1,
  // Of commands that compare, as of diff(1): there is a difference.
  kExitDiffers = 1,
  // A flag, file or request that is not acceptable.
  kExitUsage = 2,
  // A policy has errors.
  kExitPolicyInvalid = 3,
  // The server cannot be reached, does not serve or did not answer.
  kExitNoAnswer = 4,
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

// Prints "mulligan: ..." to `streams.err`, on one line.
void PrintError(Streams& streams, std::string_view message);

// Prints the status and returns the exit code for it: faults of the request are
// kExitUsage, INTERNAL and the like kExitInternal.
int Fail(Streams& streams, const absl::Status& status);

// Prints each as a warning.
void PrintWarnings(Streams& streams, const std::vector<std::string>& warnings);

// Prints a text to `streams.out`, or the status, and returns the exit code.
int Print(Streams& streams, const absl::StatusOr<std::string>& text);

// Flushes the output; kExitInternal and a message when it could not be written.
int FinishOutput(Streams& streams);

enum class OutputFormat { kHuman, kJson, kYaml, kHtml };

// Whether a person reads it, rather than a program.
inline bool IsForPeople(OutputFormat format) {
  return format == OutputFormat::kHuman || format == OutputFormat::kHtml;
}

struct OutputOptions {
  OutputFormat format = OutputFormat::kHuman;
  bool color = false;
};

// Whether --color=`when` ("auto", "always", "never") asks for colours: "auto"
// does for a terminal unless NO_COLOR is set (no-color.org) or TERM is "dumb".
bool WantsColor(std::string_view when);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_COMMAND_H_
