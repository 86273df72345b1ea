#include "client/cli/input/line_reader.h"

namespace mulligan::cli {

LineReader::Result LineReader::Next(std::string& line) {
  line.clear();
  bool any = false;
  bool too_long = false;
  while (true) {
    stream_.getline(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    const auto extracted = static_cast<size_t>(stream_.gcount());
    // A full chunk without a line break sets failbit, as does the end.
    const bool chunk_full = extracted + 1 == chunk_.size() && stream_.fail();
    const bool at_end = stream_.eof();
    const bool complete = !chunk_full && !at_end;
    any |= extracted > 0;
    if (!stream_.bad() && (chunk_full || at_end)) {
      stream_.clear(at_end ? std::ios::eofbit : std::ios::goodbit);
    }
    // The count includes a line break that was read and dropped.
    const size_t length = complete && extracted > 0 ? extracted - 1 : extracted;
    if (line.size() + length > max_bytes_) too_long = true;
    if (!too_long) line.append(chunk_.data(), length);
    if (too_long) line.clear();
    if (chunk_full) continue;
    if (!any) return Result::kEnd;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return too_long ? Result::kTooLong : Result::kLine;
  }
}

}  // namespace mulligan::cli
