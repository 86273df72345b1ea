// What a caller does when there is no answer.
#ifndef MULLIGAN_CLIENT_FALLBACK_H_
#define MULLIGAN_CLIENT_FALLBACK_H_

#include <functional>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"

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

// The same, told more exactly: RESOURCE_EXHAUSTED that is not IsOverload is a
// request that is too large, and stays so.
Fallback FallbackFor(const absl::Status& status);

// Whether the server has too much to do: it says when to come back
// (RetryDelay), or gRPC's own memory bound refused the call before the server
// saw it.
bool IsOverload(const absl::Status& status);

// "native policy", "retry later", "none".
std::string_view FallbackName(Fallback fallback);

// How long an overloaded server asked the caller to stay away
// (google.rpc.RetryInfo). Absent: it did not say.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// What a caller does while there is no answer. As it is: WAIT. Nothing is
// started, nothing is given up, and the question is asked again; that is never
// wrong, only late. A guess would spend retries that nobody counts.
struct FallbackRule {
  // Pause before the next question, at least the time a server asks for.
  absl::Duration wait = absl::Seconds(30);
  // How long after the failure to wait where the status is kRetryLater, before
  // `native` decides.
  absl::Duration patience = absl::ZeroDuration();
  // The operator's own code path (backoffLimit, maxRestarts, ...). Empty, or
  // without a result: there is only waiting. What it grants is not charged; the
  // next report shows the attempt, and the service counts it then.
  std::function<std::optional<v1::Decision>()> native;
};

// WAIT, or what rule.native says, about work that failed `since_failure` ago,
// after a call that ended with `status`. With a sentence that says why.
v1::Decision DecideWithoutAnswer(const FallbackRule& rule,
                                 absl::Duration since_failure,
                                 const absl::Status& status);

// Payload of a status from Client that holds the server's google.rpc.Status.
inline constexpr char kStatusDetailsUrl[] =
    "type.googleapis.com/google.rpc.Status";

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_FALLBACK_H_
