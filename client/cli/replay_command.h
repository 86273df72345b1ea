// `mulligan replay`.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_COMMAND_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_COMMAND_H_

#include <string>
#include <vector>

#include "client/cli/base/command.h"

namespace mulligan::cli {

struct ReplayOptions {
  // Decision logs: files, directories, "-". With `merge` results of replays.
  std::vector<std::string> logs;
  // Policy files and directories; none: the embedded policies.
  std::vector<std::string> policies;
  bool merge = false;
  // "I/N"; empty: all lines.
  std::string shard;
  // 0: one for each processor.
  unsigned threads = 0;
  // "text", "json" or "html".
  std::string output = "text";
};

// Prints what would change; the progress goes to the terminal that errors go
// to. Returns the exit code: bad lines are part of the answer.
int RunReplay(const ReplayOptions& options, Streams& streams);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_COMMAND_H_
