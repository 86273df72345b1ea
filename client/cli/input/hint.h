// A diagnosis made elsewhere, as it is written on the command line.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_HINT_H_
#define MULLIGAN_CLIENT_CLI_INPUT_HINT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// SOURCE:CAUSE[:CONFIDENCE[:TEXT]], "node-health:GPU_FAULT:MEDIUM:Xid 79"; the
// text may have colons. INVALID_ARGUMENT names the part, its value and the
// expected form.
absl::StatusOr<v1::Hint> ParseHint(std::string_view text);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_HINT_H_
