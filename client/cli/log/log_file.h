// A file of a decision log, compressed by gzip or not.
#ifndef MULLIGAN_CLIENT_CLI_LOG_LOG_FILE_H_
#define MULLIGAN_CLIENT_CLI_LOG_LOG_FILE_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

// Members of gzip may follow one another, as appending and `cat` leave them.
// Used by one thread at a time.
class LogFile {
 public:
  // "-" is standard input. Where it cannot be opened, error() says why.
  explicit LogFile(const std::string& name);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Adds at most `most` bytes of text to `text`; false at the end, or where the
  // rest cannot be read: then error() is not empty. Nor is a gzip read on that
  // is far smaller than what it unpacks to.
  bool Read(std::size_t most, std::string& text);

  const std::string& error() const { return error_; }
  // Bytes on disk that were read.
  std::int64_t offset() const { return offset_; }

 private:
  enum class Form { kNotKnown, kPlain, kGzip, kEnded };

  // Bytes of the file into `out`; 0 at its end or where error() says why.
  std::size_t ReadBytes(char* out, std::size_t most);
  // What was read ahead and is not used yet.
  std::string_view Ahead() const;
  // Reads ahead until there are at least `wanted` bytes, or the file ends.
  void LookAhead(std::size_t wanted);
  void FindForm();
  std::size_t Inflate(char* out, std::size_t most);
  // Goes on with the next member, or says what stands behind the last one.
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
