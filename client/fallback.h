// What a caller does if there is no answer.
#ifndef MULLIGAN_CLIENT_FALLBACK_H_
#define MULLIGAN_CLIENT_FALLBACK_H_

#include <functional>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"

namespace mulligan {

// No error code is a verdict: "do not retry" comes with OK. After any error
// nothing was charged, and asking again is safe.
enum class Fallback {
  // There is an answer (OK).
  kNone,
  // Ask again later with the same request, which is valid. If the caller cannot
  // wait any longer, kNativePolicy.
  kRetryLater,
  // The same request would fail again (INTERNAL is a bug that this request
  // triggers). Do what the workload's operator would do without the service
  // (backoffLimit, maxRestarts, ...), and report the error: the request, policy
  // name or configuration must change.
  kNativePolicy,
};

// Returns kRetryLater for UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED,
// ABORTED and CANCELLED, kNativePolicy for all other errors.
Fallback FallbackFor(absl::StatusCode code);

// More precise: kNativePolicy for RESOURCE_EXHAUSTED without IsOverload, a
// request that is too large.
Fallback FallbackFor(const absl::Status& status);

// Returns whether the server is overloaded: it says when to return
// (RetryDelay), or gRPC's memory bound refused the call before the server saw
// it.
bool IsOverload(const absl::Status& status);

// Returns "native policy", "retry later" or "none".
std::string_view FallbackName(Fallback fallback);

// Returns how long an overloaded server asks the caller to wait
// (google.rpc.RetryInfo); empty if it did not say.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// The rule while there is no answer. By default WAIT: nothing is started or
// given up, and the caller asks again. That may be late but is never wrong; a
// guess would use retries that no one counts.
struct FallbackRule {
  // Pause before the next question, at least the time that a server asks for.
  absl::Duration wait = absl::Seconds(30);
  // For kRetryLater: how long after the failure to wait before `native`
  // decides.
  absl::Duration patience = absl::ZeroDuration();
  // The operator's own code path (backoffLimit, maxRestarts, ...). If empty or
  // without a result, WAIT. Its retries are not charged until the next report
  // shows the attempt.
  std::function<std::optional<v1::Decision>()> native;
};

// Returns WAIT or rule.native's decision about work that failed `since_failure`
// ago, after a call that ended with `status`, with a sentence that says why.
v1::Decision DecideWithoutAnswer(const FallbackRule& rule,
                                 absl::Duration since_failure,
                                 const absl::Status& status);

// Payload of Client's statuses with the server's google.rpc.Status.
inline constexpr char kStatusDetailsUrl[] =
    "type.googleapis.com/google.rpc.Status";

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_FALLBACK_H_
