#include "policy/operators/flyte/terminated.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::flyte {
namespace {

// In the order in which Flyte looks at them.
std::vector<const ContainerStatus*> AllContainers(const PodStatus& status) {
  std::vector<const ContainerStatus*> all;
  for (const auto* const list :
       {&status.init_container_statuses(), &status.container_statuses(),
        &status.ephemeral_container_statuses()}) {
    for (const ContainerStatus& container : *list) all.push_back(&container);
  }
  return all;
}

// 137, and 247 = 256 - 9: what a Python launcher makes of a child's -9.
bool IsSigkill(std::int32_t exit_code) {
  return exit_code == 137 || exit_code == 247;
}

bool IsOom(const Terminated& terminated) {
  return terminated.reason().find(kOomKilled) != std::string::npos;
}

std::string Ended(std::string_view name, const Terminated& terminated) {
  return absl::StrFormat(
      "\r\n[%s] terminated with exit code (%d). Reason [%s]. Message: \n%s.",
      name, terminated.exit_code(), terminated.reason(), terminated.message());
}

bool IsPlatformReason(std::string_view reason, const Rules& rules) {
  if (reason == "Shutdown" || reason == "Terminated") return true;
  if (reason == "NodeShutdown") return rules.node_shutdown_is_system;
  return reason == "NodeAffinity" && rules.node_affinity_is_system;
}

// How the container ended last: before a restart, if there was one.
const Terminated* LastEnd(const ContainerStatus& container) {
  if (container.last_state().has_terminated()) {
    return &container.last_state().terminated();
  }
  return container.state().has_terminated() ? &container.state().terminated()
                                            : nullptr;
}

// The code of #7899: exit codes above 127 mean a signal and say nothing.
std::optional<std::string> SoleExitCode(const PodStatus& status) {
  if (status.container_statuses_size() != 1) return std::nullopt;
  const auto& state = status.container_statuses(0).state();
  if (!state.has_terminated()) return std::nullopt;
  const Terminated& end = state.terminated();
  if (end.exit_code() < 1 || end.exit_code() > 127) return std::nullopt;
  return end.reason().empty() ? "ContainerFailed" : end.reason();
}

}  // namespace

PhaseInfo DemystifyFailure(const PodStatus& status, std::string_view primary,
                           const Rules& rules) {
  std::string code(status.reason().empty() ? kUnknownError
                                           : std::string_view(status.reason()));
  std::string message(status.message().empty()
                          ? "Pod failed. No message received from kubernetes."
                          : status.message());
  bool system = IsPlatformReason(code, rules);
  for (const ContainerStatus* const container : AllContainers(status)) {
    const Terminated* const end = LastEnd(*container);
    if (end == nullptr) continue;
    if (IsOom(*end)) {
      code = kOomKilled;
    } else if (IsSigkill(end->exit_code())) {
      code = kInterrupted;
      system = system ||
               (rules.unexplained_is_system && container->name() == primary);
    }
    absl::StrAppend(
        &message, end->exit_code() == 0
                      ? absl::StrFormat("\r\n[%s] terminated with ExitCode 0.",
                                        container->name())
                      : Ended(container->name(), *end));
  }
  if (code == kUnknownError && rules.sole_exit_is_user) {
    if (const auto sole = SoleExitCode(status)) {
      return RetryableFailure(ErrorKind::kUser, *sole, std::move(message));
    }
  }
  if (code == kUnknownError && rules.unexplained_is_system) {
    system = true;
    code = kInterrupted;
  }
  if (!system) {
    return RetryableFailure(ErrorKind::kUser, std::move(code),
                            std::move(message));
  }
  return RetryableFailure(
      ErrorKind::kSystem,
      rules.keeps_system_code ? std::move(code) : std::string(kInterrupted),
      std::move(message));
}

PhaseInfo DemystifySuccess(const PodStatus& status) {
  for (const ContainerStatus* const container : AllContainers(status)) {
    if (container->state().has_terminated() &&
        IsOom(container->state().terminated())) {
      return RetryableFailure(ErrorKind::kUser, std::string(kOomKilled),
                              "Pod reported success despite being OOMKilled");
    }
  }
  return InPhase(Phase::kSuccess);
}

PhaseInfo DeterminePrimaryContainerPhase(
    std::string_view primary,
    const google::protobuf::RepeatedPtrField<ContainerStatus>& statuses,
    const Rules& rules) {
  for (const ContainerStatus& container : statuses) {
    if (container.name() != primary) continue;
    const auto& state = container.state();
    if (state.has_waiting() || state.has_running()) {
      return InPhase(Phase::kRunning);
    }
    if (!state.has_terminated()) continue;
    const Terminated& end = state.terminated();
    if (end.exit_code() == 0 && !IsOom(end)) return InPhase(Phase::kSuccess);
    const bool killed = rules.unexplained_is_system &&
                        IsSigkill(end.exit_code()) && !IsOom(end);
    return RetryableFailure(killed ? ErrorKind::kSystem : ErrorKind::kUser,
                            end.reason(), Ended(container.name(), end));
  }
  return PermanentFailure(
      ErrorKind::kUser, std::string(kPrimaryContainerNotFound),
      absl::StrFormat(
          "Primary container [%s] not found in pod's container statuses",
          primary));
}

}  // namespace mulligan::flyte
