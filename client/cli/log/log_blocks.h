// Decision logs: their files, compressed or not, as blocks of lines.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/log/log_file.h"

namespace mulligan::cli {

struct LogBlock {
  // Position of its file among the files.
  std::size_t file = 0;
  // Number of its first line, from 1.
  std::size_t first_line = 1;
  // Lines, each with its line break but for the last one of a file.
  std::string text;
  // Not empty: the line behind the text, or the rest of this file, cannot be
  // read, and why.
  std::string error;
};

// The files that `paths` name: themselves, and of a directory all below it, by
// name, but for what begins with a dot. NOT_FOUND names what does not exist,
// INVALID_ARGUMENT what cannot be opened, or is compressed by another program.
absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths);

// Reads files one after the other, compressed by gzip or not. Used by one
// thread at a time.
class LogBlocks {
 public:
  // "-" is standard input.
  explicit LogBlocks(std::vector<std::string> files);

  // The next block; false at the end of the last file.
  bool Next(LogBlock& block);

  const std::vector<std::string>& files() const { return files_; }
  // Bytes on disk: read so far, and of all files, 0 where that is not known.
  std::int64_t bytes_read() const;
  std::int64_t bytes() const { return bytes_; }

 private:
  void Open();
  void Close();
  // Adds what the file has next to `text`; false at its end, or where it cannot
  // be read: `error` says why.
  bool Read(std::string& text, std::string& error);
  // Reads until the text has whole lines, or the file ends.
  void Fill(LogBlock& block);
  // Leaves an error of a line that is too long, and goes on behind it.
  void SkipLine(LogBlock& block);

  const std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  std::unique_ptr<LogFile> file_;  // null between files
  std::size_t line_ = 1;
  std::string rest_;  // what was read behind the last block
  std::int64_t bytes_ = 0;
  std::int64_t bytes_before_ = 0;  // of files that were read
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_LOG_BLOCKS_H_
