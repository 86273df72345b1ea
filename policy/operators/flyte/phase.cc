#include "policy/operators/flyte/phase.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "policy/operators/flyte/names.h"

namespace mulligan::flyte {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 11> kPhases = {
    "Undefined",       "NotReady",         "WaitingForResources",
    "Queued",          "Initializing",     "Running",
    "Success",         "RetryableFailure", "PermanentFailure",
    "WaitingForCache", "Aborted"};
constexpr std::array<std::string_view, 3> kKinds = {"UNKNOWN", "USER",
                                                    "SYSTEM"};

PhaseInfo Failed(Phase phase, ErrorKind kind, std::string code,
                 std::string message) {
  PhaseInfo info;
  info.phase = phase;
  info.error = {std::move(code), std::move(message), kind};
  return info;
}

}  // namespace

std::string_view PhaseName(Phase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::optional<Phase> PhaseNamed(std::string_view name) {
  return EnumNamed<Phase>(kPhases, name);
}

std::string_view KindName(ErrorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<ErrorKind> KindNamed(std::string_view name) {
  return EnumNamed<ErrorKind>(kKinds, name);
}

bool IsFailure(Phase phase) {
  return phase == Phase::kRetryableFailure || phase == Phase::kPermanentFailure;
}

bool IsTerminal(Phase phase) {
  return IsFailure(phase) || phase == Phase::kSuccess ||
         phase == Phase::kAborted;
}

PhaseInfo InPhase(Phase phase, std::string reason) {
  PhaseInfo info;
  info.phase = phase;
  info.reason = std::move(reason);
  return info;
}

PhaseInfo RetryableFailure(ErrorKind kind, std::string code,
                           std::string message) {
  return Failed(Phase::kRetryableFailure, kind, std::move(code),
                std::move(message));
}

PhaseInfo PermanentFailure(ErrorKind kind, std::string code,
                           std::string message) {
  return Failed(Phase::kPermanentFailure, kind, std::move(code),
                std::move(message));
}

PhaseInfo WithCleanup(PhaseInfo info) {
  info.cleanup_on_failure = true;
  return info;
}

}  // namespace mulligan::flyte
