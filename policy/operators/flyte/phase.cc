#include "policy/operators/flyte/phase.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace mulligan::flyte {

std::string_view PhaseName(Phase phase) {
  // In the order of the enumeration.
  constexpr std::array<std::string_view, 8> kNames = {
      "Undefined",        "WaitingForResources",
      "Queued",           "Initializing",
      "Running",          "Success",
      "RetryableFailure", "PermanentFailure"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view KindName(ErrorKind kind) {
  return kind == ErrorKind::kSystem ? "SYSTEM" : "USER";
}

bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

PhaseInfo InPhase(Phase phase, std::string reason) {
  return {phase, std::move(reason), {}};
}

PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                           std::string message) {
  return {Phase::kRetryableFailure, "",
          ExecutionError{std::move(code), std::move(message), kind}};
}

PhaseInfo PermanentFailure(std::string code, std::string message) {
  return {Phase::kPermanentFailure, "",
          ExecutionError{std::move(code), std::move(message)}};
}

}  // namespace mulligan::flyte
