// Runs other programs and passes on or returns their output.
#ifndef MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_
#define MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace mulligan::cli {

struct ProcessResult {
  // As in a shell: 128 plus the signal; 127 or 126 if it could not be started.
  int code = 0;
  // The signal that ended it; 0 if it exited.
  int signal = 0;
  // The stop signal that was passed on to it, or SIGPIPE if the reader of its
  // output is gone; 0 if it was not stopped.
  int stopped_by = 0;
  // TailOf() stdout and stderr, interleaved as written.
  std::string tail;
  absl::Time started_at;
  absl::Time ended_at;
  // Peak memory of one of its processes, in bytes; 0 if unknown.
  std::int64_t peak_bytes = 0;
};

// Runs commands one after the other. They inherit standard input, and output
// and signals are passed on. Orphans of a command become children of this
// process. REQUIRES: at most one Runner exists, and no other threads when it is
// created, because it blocks signals.
class Runner {
 public:
  Runner();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Runs `command` with `variables` ("NAME=value") added to the environment.
  // Does not wait for its background processes. REQUIRES: `command` is not
  // empty.
  ProcessResult Run(const std::vector<std::string>& command,
                    const std::vector<std::string>& variables);

  // Makes standard input what it was before the last command. Returns false if
  // that is impossible: bytes of a pipe or socket were read, or may have been.
  bool RestoreInput() const;

  // Kills background processes of earlier commands.
  void EndOrphans();

  // Returns the stop signal as soon as one arrives; 0 after `span`.
  int Sleep(absl::Duration span);

 private:
  struct Input {
    off_t offset = -1;   // of a file
    int pending = 0;     // bytes in a pipe or socket
    bool ended = false;  // no more will come
    bool operator==(const Input&) const = default;
  };
  static Input InputNow();
  // Prepares RestoreInput().
  void NoteInput();

  int signals_ = -1;
  // A description of a pipe of our own; it has a SIGIO for each write.
  int watch_ = -1;
  Input before_;
  bool input_came_ = false;
};

// Runs `command` and returns the first 64 MiB of its standard output. INTERNAL
// with the start of its stderr if it fails. REQUIRES: `command` is not empty.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& command);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_PROCESS_H_
