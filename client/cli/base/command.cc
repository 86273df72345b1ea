#include "client/cli/base/command.h"

#include <unistd.h>

#include <cstdlib>

#include "client/cli/base/utf8.h"

namespace mulligan::cli {

void PrintError(Streams& streams, std::string_view message) {
  streams.err << "mulligan: " << Printable(message) << '\n';
}

int Fail(Streams& streams, const absl::Status& status) {
  PrintError(streams, std::string(status.message()));
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted:
      return kExitUsage;
    default:
      return kExitInternal;
  }
}

void PrintWarnings(Streams& streams, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    PrintError(streams, "warning: " + warning);
  }
}

int Print(Streams& streams, const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return Fail(streams, text.status());
  streams.out << *text;
  return FinishOutput(streams);
}

int FinishOutput(Streams& streams) {
  if (streams.out.flush()) return kExitOk;
  PrintError(streams, "the output cannot be written");
  return kExitInternal;
}

bool WantsColor(std::string_view when) {
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(STDOUT_FILENO) != 0;
}

}  // namespace mulligan::cli
