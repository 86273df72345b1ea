// From the bytes of one input to the JSON values in it.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mulligan::cli {

struct Documents {
  // JSON text of each value, in order.
  std::vector<std::string> json;
  // Sentences about what had to be repaired.
  std::vector<std::string> warnings;
};

// Takes JSON (one value after another, as `kubectl -o json` twice or `jq -c`
// print them) or YAML (any number of documents); which one it is shows in the
// first character. Messages begin with `source`, the name of the input.
//
// INVALID_ARGUMENT with line and column for text that is neither, for binary
// data and for UTF-16.
absl::StatusOr<Documents> SplitDocuments(std::string_view source,
                                         std::string bytes);

// `status` with the name of what it is about before its message, unless it is
// OK.
absl::Status Prefixed(std::string_view source, const absl::Status& status);

// Whether `bytes` hold control characters that text never has.
bool LooksBinary(std::string_view bytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_
