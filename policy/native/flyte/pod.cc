#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/native/flyte/plugins.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"

namespace mulligan::flyte {
namespace {

using kubernetes::core::v1::ContainerStatus;
using kubernetes::core::v1::PodCondition;
using kubernetes::core::v1::PodStatus;
using ContainerStatuses = google::protobuf::RepeatedPtrField<ContainerStatus>;
using Terminated = kubernetes::core::v1::ContainerStateTerminated;

// Waiting reasons that Flyte knows. Any other is an immediate system failure.
struct WaitingRow {
  std::string_view reason;
  // Null if there is no grace period.
  absl::Duration Settings::*grace;
  // The phase after the grace period, or at once without one.
  Phase phase;
};

constexpr std::array<WaitingRow, 7> kWaiting = {{
    {"ErrImagePull", nullptr, Phase::kInitializing},
    {"ContainerCreating", nullptr, Phase::kInitializing},
    {"PodInitializing", nullptr, Phase::kInitializing},
    {"CreateContainerError", &Settings::create_container_error_grace_period,
     Phase::kPermanentFailure},
    {"CreateContainerConfigError",
     &Settings::create_container_config_error_grace_period,
     Phase::kPermanentFailure},
    {"InvalidImageName", nullptr, Phase::kPermanentFailure},
    {"ImagePullBackOff", &Settings::image_pull_backoff_grace_period,
     Phase::kRetryableFailure},
}};

// In Flyte 2, a registry's rate limit is the platform's fault.
ErrorKind PullFailureKind(const std::string& message, const Rules& rules) {
  return rules.v2 && absl::StrContains(message, "429 Too Many Requests")
             ? ErrorKind::kSystem
             : ErrorKind::kUser;
}

// Returns the pod's phase due to a waiting container; `ready` is a condition.
PhaseInfo WaitingPhase(const ContainerStatus& container,
                       const PodCondition& ready, const Settings& settings,
                       absl::Time now) {
  const auto& waiting = container.state().waiting();
  std::string code = absl::StrFormat("%s|%s", ready.reason(), waiting.reason());
  std::string message =
      absl::StrFormat("%s|%s", ready.message(), waiting.message());
  for (const WaitingRow& row : kWaiting) {
    if (row.reason != waiting.reason()) continue;
    Phase phase = row.phase;
    if (row.grace != nullptr) {
      const absl::Duration grace = settings.*row.grace;
      if (now - TimeOf(ready) < grace) {
        phase = Phase::kInitializing;
      } else {
        message = absl::StrFormat("Grace period [%s] exceeded|%s",
                                  GoDuration(grace), message);
      }
    }
    if (phase == Phase::kInitializing) {
      return InPhase(phase, absl::StrFormat("[%s]: %s", code, message));
    }
    if (phase == Phase::kPermanentFailure) {
      return PermanentFailure(std::move(code), std::move(message));
    }
    return RetryableFailure(PullFailureKind(waiting.message(), settings.rules),
                            std::move(code), std::move(message));
  }
  return RetryableFailure(ErrorKind::kSystem, std::move(code),
                          std::move(message));
}

// Returns the first waiting container, the only one that counts.
const ContainerStatus* WaitingContainer(const PodStatus& status,
                                        const Rules& rules) {
  if (rules.v2) {
    for (const ContainerStatus& init : status.init_container_statuses()) {
      if (init.state().has_waiting()) return &init;
    }
  }
  for (const ContainerStatus& container : status.container_statuses()) {
    if (!container.ready() && container.state().has_waiting()) {
      return &container;
    }
  }
  return nullptr;
}

// Returns what one condition implies, if anything.
std::optional<PhaseInfo> Judge(const PodStatus& status,
                               const PodCondition& condition,
                               const Settings& settings, absl::Time now) {
  const bool is_false = condition.status() == "False";
  // Kubernetes has no such condition type.
  if ((condition.type() == "PodScheduled" && is_false) ||
      condition.type() == "Unschedulable") {
    return InPhase(Phase::kQueued, absl::StrFormat("%s:%s", condition.reason(),
                                                   condition.message()));
  }
  if (condition.type() != "Ready" || !is_false) return std::nullopt;
  const ContainerStatus* const waiting =
      WaitingContainer(status, settings.rules);
  if (waiting == nullptr) return std::nullopt;
  return WaitingPhase(*waiting, condition, settings, now);
}

// As flytek8s.DemystifyPending.
PhaseInfo PendingPodPhase(const PodStatus& status, const Settings& settings,
                          absl::Time now) {
  // Flyte's own spelling.
  PhaseInfo info = InPhase(Phase::kQueued, "Demistify Pending");
  absl::Time since = now;
  for (const PodCondition& condition : status.conditions()) {
    since = TimeOf(condition);
    if (const auto judged = Judge(status, condition, settings, now)) {
      info = *judged;
      break;
    }
  }
  const absl::Duration timeout = settings.pod_pending_timeout;
  if (IsFailure(info.phase) || timeout <= absl::ZeroDuration() ||
      now - since < timeout) {
    return info;
  }
  return RetryableFailure(
      settings.rules.v2 ? ErrorKind::kSystem : ErrorKind::kUser,
      "PodPendingTimeout", info.reason);
}

constexpr char kPrimaryContainerKey[] = "primary_container_name";
constexpr char kOomKilled[] = "OOMKilled";

// In Flyte's order.
std::vector<const ContainerStatus*> AllContainers(const PodStatus& status) {
  std::vector<const ContainerStatus*> all;
  for (const ContainerStatuses* const list :
       {&status.init_container_statuses(), &status.container_statuses(),
        &status.ephemeral_container_statuses()}) {
    for (const ContainerStatus& container : *list) all.push_back(&container);
  }
  return all;
}

// 137, or 247 = 256 - 9, which Python launchers make of a child's -9.
bool IsSigkill(std::int32_t exit_code, const Rules& rules) {
  return exit_code == 137 || (exit_code == 247 && rules.unexplained_is_system);
}

bool IsOom(const Terminated& end) {
  return end.reason().find(kOomKilled) != std::string::npos;
}

std::string Ended(std::string_view name, const Terminated& end) {
  return absl::StrFormat(
      "\r\n[%s] terminated with exit code (%d). Reason [%s]. Message: \n%s.",
      name, end.exit_code(), end.reason(), end.message());
}

bool IsPlatformReason(std::string_view reason, const Rules& rules) {
  if (reason == "Shutdown" || reason == "Terminated") return true;
  return rules.node_reasons_are_system &&
         (reason == "NodeShutdown" || reason == "NodeAffinity");
}

// Returns the container's last end: before a restart, if there was one.
const Terminated* LastEnd(const ContainerStatus& container) {
  if (container.last_state().has_terminated()) {
    return &container.last_state().terminated();
  }
  return container.state().has_terminated() ? &container.state().terminated()
                                            : nullptr;
}

// The code of #7899. Exit codes above 127 mean a signal and say nothing.
std::optional<std::string> SoleExitCode(const PodStatus& status) {
  if (status.container_statuses_size() != 1) return std::nullopt;
  const auto& state = status.container_statuses(0).state();
  if (!state.has_terminated()) return std::nullopt;
  const Terminated& end = state.terminated();
  if (end.exit_code() < 1 || end.exit_code() > 127) return std::nullopt;
  return end.reason().empty() ? "ContainerFailed" : end.reason();
}

// flytek8s.DemystifyFailure, for pods in phase Failed: never permanent. Ignores
// pod conditions.
PhaseInfo FailedPodPhase(const PodStatus& status, std::string_view primary,
                         const Rules& rules) {
  std::string code = status.reason().empty() ? kUnknownError : status.reason();
  std::string message(status.message().empty()
                          ? "Pod failed. No message received from kubernetes."
                          : status.message());
  bool system = IsPlatformReason(code, rules);
  for (const ContainerStatus* const container : AllContainers(status)) {
    const Terminated* const end = LastEnd(*container);
    if (end == nullptr) continue;
    if (IsOom(*end)) {
      code = kOomKilled;
    } else if (IsSigkill(end->exit_code(), rules)) {
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
  if (system && !rules.keeps_system_code) code = kInterrupted;
  return RetryableFailure(system ? ErrorKind::kSystem : ErrorKind::kUser,
                          std::move(code), std::move(message));
}

// As flytek8s.DemystifySuccess.
PhaseInfo SucceededPodPhase(const PodStatus& status) {
  for (const ContainerStatus* const container : AllContainers(status)) {
    if (IsOom(container->state().terminated())) {
      return RetryableFailure(ErrorKind::kUser, kOomKilled,
                              "Pod reported success despite being OOMKilled");
    }
  }
  return InPhase(Phase::kSuccess);
}

// True also if a container's state is unknown.
bool HaveSucceeded(const ContainerStatuses& statuses) {
  return std::ranges::all_of(statuses, [](const ContainerStatus& status) {
    const auto& state = status.state();
    return !state.has_waiting() && !state.has_running() &&
           state.terminated().exit_code() == 0;
  });
}

// flytek8s.DeterminePrimaryContainerPhase: only the current state of the
// primary container counts.
PhaseInfo PrimaryContainerPhase(const Pod& pod, std::string_view primary,
                                const Rules& rules) {
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    if (container.name() != primary) continue;
    const auto& state = container.state();
    if (state.has_waiting() || state.has_running()) {
      return InPhase(Phase::kRunning);
    }
    if (!state.has_terminated()) continue;
    const Terminated& end = state.terminated();
    if (end.exit_code() == 0 && !IsOom(end)) return InPhase(Phase::kSuccess);
    const bool killed = rules.unexplained_is_system &&
                        IsSigkill(end.exit_code(), rules) && !IsOom(end);
    return RetryableFailure(killed ? ErrorKind::kSystem : ErrorKind::kUser,
                            end.reason(), Ended(container.name(), end));
  }
  if (FindNamed(pod.spec().containers(), primary) != nullptr) {
    return InPhase(Phase::kRunning);
  }
  return PermanentFailure(
      "PrimaryContainerNotFound",
      absl::StrFormat(
          "Primary container [%s] not found in pod's container statuses",
          primary));
}

PhaseInfo RunningPodPhase(const Pod& pod, const Rules& rules) {
  if (pod.metadata().annotations().contains(kPrimaryContainerKey)) {
    return PrimaryContainerPhase(pod, PrimaryContainerOf(pod.metadata()),
                                 rules);
  }
  const PodStatus& status = pod.status();
  const bool done = !status.container_statuses().empty() &&
                    HaveSucceeded(status.container_statuses()) &&
                    (!rules.awaits_init_containers ||
                     HaveSucceeded(status.init_container_statuses()));
  return done ? SucceededPodPhase(status) : InPhase(Phase::kRunning);
}

}  // namespace

PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now) {
  const std::string_view phase = pod.status().phase();
  if (phase == "Succeeded") return SucceededPodPhase(pod.status());
  if (phase == "Failed" || phase == "Pending") {
    return FailedOrPendingPodPhase(pod, PrimaryContainerOf(pod.metadata()),
                                   settings, now);
  }
  // A reason; Kubernetes has no such phase.
  if (phase == "Unschedulable") {
    return InPhase(Phase::kQueued, "pod unschedulable");
  }
  if (phase == "Unknown" && !settings.rules.judges_unknown_pods) {
    return InPhase(Phase::kUndefined);
  }
  return RunningPodPhase(pod, settings.rules);
}

PhaseInfo FailedOrPendingPodPhase(const Pod& pod, std::string_view primary,
                                  const Settings& settings, absl::Time now) {
  const PodStatus& status = pod.status();
  if (status.phase() == "Failed") {
    return FailedPodPhase(status, primary, settings.rules);
  }
  return status.phase() == "Pending" ? PendingPodPhase(status, settings, now)
                                     : InPhase(Phase::kUndefined);
}

std::string_view PrimaryContainerOf(
    const kubernetes::meta::v1::ObjectMeta& metadata) {
  const auto* const name =
      FindValue(metadata.annotations(), kPrimaryContainerKey);
  return name == nullptr ? std::string_view() : *name;
}

}  // namespace mulligan::flyte
