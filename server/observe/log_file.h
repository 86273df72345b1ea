// A rotating file of lines.
#ifndef MULLIGAN_SERVER_OBSERVE_LOG_FILE_H_
#define MULLIGAN_SERVER_OBSERVE_LOG_FILE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace mulligan {

// Appends to PATH. At `max_bytes` PATH becomes PATH.1, PATH.1 becomes PATH.2
// and so on; the file that would be number `files` is removed. Only regular
// files are rotated. Used by one thread at a time.
//
// Never waits for a reader: a full pipe is an error, like a full disk. A
// hanging disk holds the thread.
class LogFile {
 public:
  // "-" is standard output. REQUIRES: `max_bytes` and `files` are at least 1.
  LogFile(std::string path, std::int64_t max_bytes, std::int64_t files);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Opens the file unless it is open; keeps its contents. If the open file was
  // moved or removed (logrotate), opens PATH again.
  absl::Status Open();

  // Appends whole lines, opening the file if needed. After an error the file
  // has none of them, or the first ones and a torn one. A torn line is cut off
  // or ended, so that it never joins the next one.
  absl::Status Append(std::string_view lines);

  // Makes a write that waits for a reader give up. Thread-safe.
  void StopWaiting() { stopping_.store(true); }

 private:
  absl::Status Rotate();
  // Returns whether PATH is another file than the open one, or missing.
  bool WasReplaced() const;
  absl::Status Write(std::string_view lines);
  // Returns the number of bytes written, or -1 with errno.
  std::int64_t WriteSome(std::string_view bytes);
  // Called after a write that ended inside a line.
  void RepairTornLine();
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
