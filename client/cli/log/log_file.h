// One file of a decision log, plain or gzip.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_FILE_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_FILE_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// Gzip members may follow one another, as appending and `cat` produce them. Not
// thread-safe.
class LogFile {
 public:
  // "-" is standard input. If it cannot be opened, error() says why.
  explicit LogFile(const std::string& name);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Appends at most `most` bytes to `text`. Returns false at the end, or with a
  // non-empty error() if the rest cannot be read or a gzip expands too much.
  bool Read(std::size_t most, std::string& text);

  const std::string& error() const { return error_; }
  // The number of bytes on disk that were read.
  std::int64_t offset() const { return offset_; }

 private:
  enum class Form { kNotKnown, kPlain, kGzip, kEnded };

  // Reads bytes of the file into `out`. Returns 0 at its end or on error().
  std::size_t ReadBytes(char* out, std::size_t most);
  // Returns the bytes that are read ahead and not yet used.
  std::string_view Ahead() const;
  // Reads ahead until there are at least `wanted` bytes or the file ends.
  void LookAhead(std::size_t wanted);
  void FindForm();
  std::size_t Inflate(char* out, std::size_t most);
  // Continues with the next member, or checks the bytes after the last one.
  void EndMember();
  void Fail(std::string why);

  int file_ = -1;
  Form form_ = Form::kNotKnown;
  std::vector<char> ahead_;
  z_stream stream_ = {};
  bool inflates_ = false;
  std::int64_t offset_ = 0;
  std::int64_t unpacked_ = 0;
  std::string error_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_LOG_FILE_H_
