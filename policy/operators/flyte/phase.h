// The verdict of Flyte's plugins about one attempt.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace mulligan::flyte {

// pluginmachinery/core.Phase, in its order: what is at least kRunning has
// started.
enum class Phase {
  kUndefined,
  kNotReady,
  kWaitingForResources,
  kQueued,
  kInitializing,
  kRunning,
  kSuccess,
  kRetryableFailure,
  kPermanentFailure,
  kWaitingForCache,
  kAborted,
};

// core.ExecutionError.ErrorKind: whose fault. On a retryable failure it picks
// the budget; whether a failure is retried is another question.
enum class ErrorKind { kUnknown, kUser, kSystem };

struct ExecutionError {
  std::string code;
  std::string message;
  ErrorKind kind = ErrorKind::kUnknown;
};

struct PhaseInfo {
  Phase phase = Phase::kUndefined;
  std::string reason;
  // Set for failures only.
  std::optional<ExecutionError> error;
  // The object still lives and must be deleted, although it has failed.
  bool cleanup_on_failure = false;
};

// A phase, or the error a plugin returned: the round comes to nothing. An
// INVALID_ARGUMENT is Flyte's BadTaskSpecification.
using PhaseResult = absl::StatusOr<PhaseInfo>;

// Flyte's names: "RetryableFailure", "SYSTEM".
std::string_view PhaseName(Phase phase);
std::optional<Phase> PhaseNamed(std::string_view name);
std::string_view KindName(ErrorKind kind);
std::optional<ErrorKind> KindNamed(std::string_view name);

bool IsFailure(Phase phase);
// Failed, succeeded or aborted.
bool IsTerminal(Phase phase);

// A phase that is no failure.
PhaseInfo InPhase(Phase phase, std::string reason = "");
PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                           std::string message);
PhaseInfo PermanentFailure(ErrorKind kind, std::string code,
                           std::string message);
PhaseInfo WithCleanup(PhaseInfo info);

// The codes more than one plugin uses.
inline constexpr std::string_view kDownstreamSystemError =
    "DownstreamSystemError";
inline constexpr std::string_view kTaskFailedWithError = "TaskFailedWithError";
inline constexpr std::string_view kInterrupted = "Interrupted";
inline constexpr std::string_view kUnknownError = "UnknownError";
inline constexpr std::string_view kOomKilled = "OOMKilled";

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_
