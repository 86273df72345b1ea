#include "policy/operators/flyte/phase.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace mulligan::flyte {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 8> kPhases = {
    "Undefined",        "WaitingForResources",
    "Queued",           "Initializing",
    "Running",          "Success",
    "RetryableFailure", "PermanentFailure"};
constexpr std::array<std::string_view, 3> kKinds = {"UNKNOWN", "USER",
                                                    "SYSTEM"};

PhaseInfo Failed(Phase phase, ErrorKind kind, std::string code,
                 std::string message) {
  return {phase, "", ExecutionError{std::move(code), std::move(message), kind}};
}

}  // namespace

std::string_view PhaseName(Phase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::string_view KindName(ErrorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

PhaseInfo InPhase(Phase phase, std::string reason) {
  return {phase, std::move(reason), {}};
}

PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                           std::string message) {
  return Failed(Phase::kRetryableFailure, kind, std::move(code),
                std::move(message));
}

PhaseInfo PermanentFailure(std::string code, std::string message) {
  return Failed(Phase::kPermanentFailure, ErrorKind::kUser, std::move(code),
                std::move(message));
}

}  // namespace mulligan::flyte
