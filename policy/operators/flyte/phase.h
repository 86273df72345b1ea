// The verdict of Flyte's plugins about one attempt.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace mulligan::flyte {

// Of pluginmachinery/core.Phase those that a plugin answers.
enum class Phase {
  kUndefined,
  kWaitingForResources,
  kQueued,
  kInitializing,
  kRunning,
  kSuccess,
  kRetryableFailure,
  kPermanentFailure,
};

// core.ExecutionError.ErrorKind: whose fault. On a retryable failure it picks
// the budget; whether a failure is retried is another question.
enum class ErrorKind { kUser, kSystem };

struct ExecutionError {
  std::string code;
  std::string message;
  ErrorKind kind = ErrorKind::kUser;
};

struct PhaseInfo {
  Phase phase = Phase::kUndefined;
  // What a phase that is no failure says.
  std::string reason;
  // Set for failures only.
  std::optional<ExecutionError> error;
};

// A phase, or the error that a plugin returned: the round comes to nothing.
using PhaseResult = absl::StatusOr<PhaseInfo>;

inline bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

// A phase that is no failure.
inline PhaseInfo InPhase(Phase phase, std::string reason = "") {
  return {phase, std::move(reason), {}};
}

inline PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                                  std::string message) {
  return {Phase::kRetryableFailure, "",
          ExecutionError{std::move(code), std::move(message), kind}};
}

// Always the user's fault.
inline PhaseInfo PermanentFailure(std::string code, std::string message) {
  return {Phase::kPermanentFailure, "",
          ExecutionError{std::move(code), std::move(message)}};
}

// Codes that more than one plugin uses.
inline constexpr char kDownstreamSystemError[] = "DownstreamSystemError";
inline constexpr char kInterrupted[] = "Interrupted";
inline constexpr char kUnknownError[] = "UnknownError";

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_PHASE_H_
