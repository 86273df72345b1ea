// Reads common requests in one pass.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
#define MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_

#include <memory>
#include <string_view>

#include "google/protobuf/message.h"

namespace mulligan::cli {

// Reads JSON ten times as fast as the slow path (the checks in json_text.h and
// report_builder.h, then protobuf), for millions of lines. Not thread-safe,
// because it reuses memory.
class QuickReader {
 public:
  QuickReader();
  ~QuickReader();
  QuickReader(const QuickReader&) = delete;
  QuickReader& operator=(const QuickReader&) = delete;

  // Returns true if `message` equals the result of the slow path, without
  // warnings. Returns false, with `message` empty, if `json` is invalid,
  // deserves a warning or is unusual; then use the slow path. REQUIRES:
  // `message` is empty.
  bool Read(std::string_view json, google::protobuf::Message& message);

 private:
  class Filler;
  const std::unique_ptr<Filler> filler_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
