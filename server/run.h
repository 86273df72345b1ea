// From a running server to the end of the process.
#ifndef MULLIGAN_SERVER_RUN_H_
#define MULLIGAN_SERVER_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "server/observe/log.h"
#include "server/server.h"

namespace mulligan {

// Exit codes of mulligan-server; see docs/operations.md.
enum ExitCode {
  kExitOk = 0,
  kExitCannotStart = 1,
  kExitUsage = 2,
  kExitPolicyInvalid = 3,
  kExitCallsCutOff = 4,
};

// Keeps SIGHUP pending. May be called before any other setup.
void BlockReload();

// Keeps SIGTERM, SIGINT and SIGHUP pending for RunUntilSignal. Ignores SIGPIPE.
// REQUIRES: called in main before any thread exists.
void BlockSignals();

// UNAVAILABLE if the threads that a server may need cannot be started; it or
// gRPC would hang or abort later.
absl::Status CheckThreads();

// Removes the file of an earlier run, so that it is not mistaken for this
// one's. Returns an error for other files, such as /dev/null or a policy.
absl::Status RemovePortFile(const std::string& path);

// Writes {"pid":...,"grpcPort":...,"adminPort":...} to `path`, atomically.
absl::Status WritePortFile(const std::string& path, const Server& server);

// Waits for SIGTERM or SIGINT, then drains; returns kExitCallsCutOff if calls
// did not end within the grace. SIGHUP reloads the policies. A second signal,
// or a drain that exceeds its time (a reactor that never finishes holds gRPC's
// Shutdown forever), ends the process at once with kExitCallsCutOff.
int RunUntilSignal(Server& server, const Log& log);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RUN_H_
