// Reads decision logs, compressed or not, as blocks of lines.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace mulligan::cli {

class LogFile;

struct LogBlock {
  // Index of its file among the files.
  std::size_t file = 0;
  // Number of its first line, from 1.
  std::size_t first_line = 1;
  // Lines, each with its line break except a file's last one.
  std::string text;
  // Why the line after the text, or the rest of this file, cannot be read;
  // empty if it can.
  std::string error;
};

// Returns the files in `paths`, and all files below directories, by name,
// except those that begin with a dot. NOT_FOUND names a missing path.
// INVALID_ARGUMENT names a file that cannot be opened, is given twice or has
// another compression.
absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths);

// Reads files one after the other, plain or gzip. Not thread-safe.
class LogBlocks {
 public:
  // "-" is standard input.
  explicit LogBlocks(std::vector<std::string> files);
  ~LogBlocks();
  LogBlocks(const LogBlocks&) = delete;
  LogBlocks& operator=(const LogBlocks&) = delete;

  // Reads the next block. Returns false at the end of the last file.
  bool Next(LogBlock& block);

  const std::vector<std::string>& files() const { return files_; }
  // Bytes on disk, read so far and of all files; `bytes` is 0 if unknown.
  std::int64_t bytes_read() const;
  std::int64_t bytes() const { return bytes_; }

 private:
  void Open();
  void Close();
  // Appends the next bytes of the file to `text`. Returns false at its end, or
  // with `error` if it cannot be read.
  bool Read(std::string& text, std::string& error);
  // Reads until the text has whole lines or the file ends.
  void Fill(LogBlock& block);
  // Sets the error for a line that is too long, and skips it.
  void SkipLine(LogBlock& block);

  const std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  std::unique_ptr<LogFile> file_;  // null between files
  std::size_t line_ = 1;
  std::string rest_;  // read beyond the last block
  std::int64_t bytes_ = 0;
  std::int64_t bytes_before_ = 0;  // of finished files
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_
