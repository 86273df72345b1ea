// A file that takes lines and is followed by others when it is full.
#ifndef MULLIGAN_SERVER_OBSERVE_LOG_FILE_H_
#define MULLIGAN_SERVER_OBSERVE_LOG_FILE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace mulligan {

// Appends to PATH; once it holds `max_bytes`, PATH becomes PATH.1, PATH.1
// becomes PATH.2 and so on, and what would be file number `files` goes. Only
// regular files are rotated. Used by one thread at a time.
//
// Nothing here waits for a reader: a pipe that nobody empties is an error, as
// is a full disk. A disk that hangs does hold the thread.
class LogFile {
 public:
  // "-" is standard output. `max_bytes` and `files` are at least 1.
  LogFile(std::string path, std::int64_t max_bytes, std::int64_t files);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Opens the file unless it is open; what was in it stays. A file that
  // somebody else moved or removed (logrotate) is left for one at PATH.
  absl::Status Open();

  // Appends whole lines. After an error none of them, or the first ones and a
  // torn one, are in the file; a torn line is cut off or ended, so that it
  // never runs into the next one. Tries to open the file when it is not open.
  absl::Status Append(std::string_view lines);

  // Makes a write that waits for a reader give up. For other threads.
  void StopWaiting() { stopping_.store(true); }

 private:
  absl::Status Rotate();
  // Whether PATH leads to another file than the open one, or to none.
  bool IsElsewhere() const;
  absl::Status Write(std::string_view lines);
  // Bytes written, or -1 with errno.
  std::int64_t WriteSome(std::string_view bytes);
  // After a write that broke off in a line.
  void MendTornLine();
  absl::Status Failure(std::string_view what) const;
  std::string Numbered(std::int64_t number) const;

  const std::string path_;
  const std::int64_t max_bytes_;
  const std::int64_t files_;
  int file_ = -1;
  bool is_regular_ = false;
  bool is_torn_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::int64_t size_ = 0;  // of a regular file, whole lines only
  std::atomic<bool> stopping_ = false;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_LOG_FILE_H_
