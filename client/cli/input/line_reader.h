// Lines of bounded length.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_LINE_READER_H_
#define MULLIGAN_CLIENT_CLI_INPUT_LINE_READER_H_

#include <istream>
#include <string>
#include <vector>

namespace mulligan::cli {

// Reads lines from a stream without waiting for more than the line at hand, so
// that a caller may write a request and wait for its answer. Memory stays
// within the bound whatever the input is.
class LineReader {
 public:
  LineReader(std::istream& stream, size_t max_bytes)
      : stream_(stream), max_bytes_(max_bytes), chunk_(size_t{1} << 16) {}

  enum class Result { kLine, kTooLong, kEnd };

  // Stores the next line without its line break. A line beyond the bound is
  // skipped to its end and leaves `line` empty.
  Result Next(std::string& line);

 private:
  std::istream& stream_;
  const size_t max_bytes_;
  std::vector<char> chunk_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_LINE_READER_H_
