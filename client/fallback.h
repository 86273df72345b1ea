// What a caller does when there is no answer.
#ifndef MULLIGAN_CLIENT_FALLBACK_H_
#define MULLIGAN_CLIENT_FALLBACK_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace mulligan {

// No error code is a verdict: "do not retry" comes with OK. Whatever the code,
// nothing was charged, and asking again is safe.
enum class Fallback {
  // There is an answer (OK).
  kNone,
  // Ask again later with the same request; nothing is wrong with it. When the
  // caller cannot wait any longer, as kNativePolicy.
  kRetryLater,
  // Asking again gives the same error; that holds for INTERNAL, too, which is
  // a bug met by this request. Do what the workload's own operator
  // would do without the service (backoffLimit, maxRestarts, ...), and report
  // the error: request, policy name or configuration have to change.
  kNativePolicy,
};

// UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, ABORTED and CANCELLED are
// worth another try, all other errors are not.
Fallback FallbackFor(absl::StatusCode code);

// The same, told more exactly: RESOURCE_EXHAUSTED without a RetryDelay is a
// request that is too large, and stays so.
Fallback FallbackFor(const absl::Status& status);

// "native policy", "retry later", "none".
std::string_view FallbackName(Fallback fallback);

// How long an overloaded server asked the caller to stay away
// (google.rpc.RetryInfo). Absent: it did not say.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// Payload of a status from Client that holds the server's google.rpc.Status.
inline constexpr char kStatusDetailsUrl[] =
    "type.googleapis.com/google.rpc.Status";

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_FALLBACK_H_
