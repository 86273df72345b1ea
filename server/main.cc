// mulligan-server; see docs/operations.md.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "policy/base/utf8.h"
#include "server/observe/library_logs.h"
#include "server/observe/log.h"
#include "server/options.h"
#include "server/policies/policy_source.h"
#include "server/run.h"
#include "server/server.h"

namespace mulligan {
namespace {

int Fail(const absl::Status& status, ExitCode code) {
  const std::vector<std::string> lines = absl::StrSplit(status.message(), '\n');
  for (const std::string& line : lines) {
    std::fprintf(stderr, "%s\n", Visible(line).c_str());
  }
  return code;
}

// Opens closed standard streams; otherwise the next file or connection would
// get their descriptor and receive the logs.
void OpenStandardStreams() {
  while (true) {
    const int next = open("/dev/null", O_RDWR);
    if (next <= STDERR_FILENO && next >= 0) continue;
    if (next >= 0) close(next);
    return;
  }
}

int Main(const std::vector<std::string>& arguments) {
  const auto command = ParseCommandLine(
      arguments, [](const char* name) { return std::getenv(name); });
  if (!command.ok()) return Fail(command.status(), kExitUsage);
  if (!command->output.empty()) {
    std::fputs(command->output.c_str(), stdout);
    return kExitOk;
  }
  const ServerOptions& options = command->options;
  BlockSignals();
  if (const absl::Status threads = CheckThreads(); !threads.ok()) {
    return Fail(threads, kExitCannotStart);
  }
  const Log log(options.log_level, options.log_format);
  const LibraryLogRedirect redirect(log);
  if (!options.port_file.empty()) {
    const absl::Status removed = RemovePortFile(options.port_file);
    if (!removed.ok()) return Fail(removed, kExitUsage);
  }
  const auto source = MakePolicySource(options.policy_dir);
  const auto server = Server::Create(options, *source, log);
  if (!server.ok()) {
    const bool policies = absl::IsInvalidArgument(server.status());
    return Fail(server.status(),
                policies ? kExitPolicyInvalid : kExitCannotStart);
  }
  if (!options.port_file.empty()) {
    const absl::Status written = WritePortFile(options.port_file, **server);
    if (!written.ok()) return Fail(written, kExitCannotStart);
  }
  return RunUntilSignal(**server, log);
}

// Runs before all library constructors, some of which take milliseconds, so
// that a SIGHUP to a process just started does not end it. The loader's time
// before that (about ten milliseconds) cannot be covered.
__attribute__((section(".preinit_array"),
               used)) void (*const block_first)() = &BlockReload;

}  // namespace
}  // namespace mulligan

int main(int argc, char** argv) {
  mulligan::OpenStandardStreams();
  return mulligan::Main(std::vector<std::string>(argv + 1, argv + argc));
}
