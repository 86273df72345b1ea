// Other programs: run with their output passed on, or read.
#ifndef MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_
#define MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace mulligan::cli {

// Of what a command wrote, the end that is kept. As much as a report takes.
inline constexpr std::size_t kTailBytes = 64 << 10;

// How a command ended.
struct ProcessResult {
  // As a shell has it: 128 more than the signal, 127 and 126 if it could not be
  // started.
  int code = 0;
  // What ended it; 0 if it exited.
  int signal = 0;
  // The signal to stop that was passed on to it, SIGPIPE if nobody reads its
  // output any more; 0 if it was not stopped.
  int stopped_by = 0;
  // The end of both streams, as it came.
  std::string tail;
  absl::Time started_at;
  absl::Time ended_at;
  // The most memory that one of its processes had; 0 if unknown.
  std::int64_t peak_bytes = 0;
};

// Runs commands one after the other, in place of the caller: they have its
// standard input and streams, and signals for it are for them. Orphans of a
// command become its children. Blocks signals, so the process must have no
// other threads when it is made, and there is at most one.
class Runner {
 public:
  Runner();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Runs `command` with `variables` ("NAME=value") beside the environment. What
  // it leaves behind in the background goes on, but its output is not awaited.
  // REQUIRES: `command` is not empty.
  ProcessResult Run(const std::vector<std::string>& command,
                    const std::vector<std::string>& variables);

  // Ends what earlier commands left behind.
  void EndOrphans();

  // Returns the signal to stop that came meanwhile, at once; 0 if none did.
  int Sleep(absl::Duration span);

 private:
  int signals_ = -1;
};

// Runs `command` and returns what it writes to its standard output, of at most
// 64 MiB. INTERNAL with the end of its errors if it fails. REQUIRES: not empty.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& command);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_
