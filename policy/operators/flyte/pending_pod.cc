#include "policy/operators/flyte/pending_pod.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/operators/go_text.h"

namespace mulligan::flyte {
namespace {

using kubernetes::core::v1::ContainerStatus;
using kubernetes::core::v1::PodCondition;
using kubernetes::core::v1::PodStatus;

// Waiting reasons that Flyte knows. Any other is a system failure at once.
struct WaitingRow {
  std::string_view reason;
  // Null: there is no grace.
  absl::Duration Settings::*grace;
  // When the grace has passed, or at once where there is none.
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

absl::Time TransitionOf(const PodCondition& condition) {
  return condition.has_last_transition_time()
             ? ToTime(condition.last_transition_time())
             : ZeroTime();
}

// A registry that limits its clients is the platform's in Flyte 2.
ErrorKind PullFailureKind(const std::string& message, const Rules& rules) {
  return rules.v2 && absl::StrContains(message, "429 Too Many Requests")
             ? ErrorKind::kSystem
             : ErrorKind::kUser;
}

// What a container that waits makes of the pod, whose condition is `ready`.
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
      if (now - TransitionOf(ready) < grace) {
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

// The first container that waits; it hides the others.
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

// What one condition says, if anything.
std::optional<PhaseInfo> Judge(const PodStatus& status,
                               const PodCondition& condition,
                               const Settings& settings, absl::Time now) {
  const bool is_false = condition.status() == "False";
  // "Unschedulable" is no type that Kubernetes writes.
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

}  // namespace

PhaseInfo PendingPodPhase(const PodStatus& status, const Settings& settings,
                          absl::Time now) {
  // The peer's own spelling.
  PhaseInfo info = InPhase(Phase::kQueued, "Demistify Pending");
  absl::Time since = now;
  for (const PodCondition& condition : status.conditions()) {
    since = TransitionOf(condition);
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

}  // namespace mulligan::flyte
