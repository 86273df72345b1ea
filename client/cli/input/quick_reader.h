// The usual request, read in one pass.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
#define MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_

#include <memory>
#include <string>
#include <string_view>

#include "google/protobuf/message.h"

namespace mulligan::cli {

// Reads JSON a tenth as long as the careful way does (checks in json_text.h and
// report_shape.h, then protobuf), for lines by the million.
// Not thread-safe: memory is kept for the next request.
class QuickReader {
 public:
  QuickReader();
  ~QuickReader();
  QuickReader(const QuickReader&) = delete;
  QuickReader& operator=(const QuickReader&) = delete;

  // True: `message`, empty before, is what the careful way makes of `json`,
  // which has nothing to warn of. False: something about it is wrong, worth a
  // warning, or just rare; `message` is empty, and the careful way is to tell.
  bool Read(std::string_view json, google::protobuf::Message& message);

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
  // The message on the wire.
  std::string wire_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
