// Errors in the input, in one sentence each.
#ifndef MULLIGAN_CLIENT_CLI_BASE_ERRORS_H_
#define MULLIGAN_CLIENT_CLI_BASE_ERRORS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace mulligan::cli {

// Returns INVALID_ARGUMENT with a message made as by absl::StrFormat.
template <typename... Args>
absl::Status Invalid(const absl::FormatSpec<Args...>& format,
                     const Args&... args) {
  return absl::InvalidArgumentError(absl::StrFormat(format, args...));
}

// Returns `status` with "`source`: " before its message; OK stays OK.
inline absl::Status Prefixed(std::string_view source,
                             const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrFormat("%s: %s", source, status.message()));
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_ERRORS_H_
