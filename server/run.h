// From a running server to the end of the process.
#ifndef MULLIGAN_SERVER_RUN_H_
#define MULLIGAN_SERVER_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "server/observe/log.h"
#include "server/server.h"

namespace mulligan {

// Exit codes of mulligan-server, see docs/operations.md.
enum ExitCode {
  kExitOk = 0,
  kExitCannotStart = 1,
  kExitUsage = 2,
  kExitPolicyInvalid = 3,
  kExitCallsCutOff = 4,
};

// Keeps SIGHUP pending. May be called before anything else has been set up.
void BlockReload();

// Keeps SIGTERM, SIGINT and SIGHUP pending for RunUntilSignal. Call in main
// before any thread exists. Ignores SIGPIPE.
void BlockSignals();

// Whether as many threads can be had at a time as a server may need: who lacks
// one later, be it gRPC, hangs or aborts.
absl::Status CheckThreads();

// Removes the file of an earlier run, which must not pass for this one's. An
// error for what is none: nobody wants /dev/null or a policy removed.
absl::Status RemovePortFile(const std::string& path);

// Writes {"pid":...,"grpcPort":...,"adminPort":...} to `path`, complete or not
// at all.
absl::Status WritePortFile(const std::string& path, const Server& server);

// Waits for SIGTERM or SIGINT, then drains; kExitCallsCutOff when calls did not
// end within the grace. SIGHUP loads the policies again. A second signal, or a
// drain that hangs beyond its time (a reactor that never finishes holds gRPC's
// Shutdown for ever), ends the process at once with kExitCallsCutOff.
int RunUntilSignal(Server& server, const Log& log);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RUN_H_
