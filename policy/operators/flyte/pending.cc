#include "policy/operators/flyte/pending.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/text.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::flyte {
namespace {

using job::TimeOf;
using job::ZeroTime;

// Waiting reasons Flyte knows. Any other is a system failure at once.
struct WaitingRow {
  std::string_view reason;
  // Null: no grace.
  absl::Duration Settings::*grace;
  // Before the grace has passed, and without one.
  Phase phase;
  // When it has passed.
  Phase after;
};

constexpr std::array<WaitingRow, 7> kWaiting = {{
    {"ErrImagePull", nullptr, Phase::kInitializing, Phase::kUndefined},
    {"ContainerCreating", nullptr, Phase::kInitializing, Phase::kUndefined},
    {"PodInitializing", nullptr, Phase::kInitializing, Phase::kUndefined},
    {"CreateContainerError", &Settings::create_container_error_grace_period,
     Phase::kInitializing, Phase::kPermanentFailure},
    {"CreateContainerConfigError",
     &Settings::create_container_config_error_grace_period,
     Phase::kInitializing, Phase::kPermanentFailure},
    {"InvalidImageName", nullptr, Phase::kPermanentFailure, Phase::kUndefined},
    {"ImagePullBackOff", &Settings::image_pull_backoff_grace_period,
     Phase::kInitializing, Phase::kRetryableFailure},
}};

absl::Time TransitionOf(const PodCondition& condition) {
  return condition.has_last_transition_time()
             ? TimeOf(condition.last_transition_time())
             : ZeroTime();
}

// Of a container that waits: the condition `Ready` and what it waits for.
class WaitingContainer {
 public:
  WaitingContainer(const PodCondition& ready, const ContainerStatus& status)
      : waiting_(status.state().waiting()),
        code_(absl::StrFormat("%s|%s", ready.reason(), waiting_.reason())),
        message_(absl::StrFormat("%s|%s", ready.message(), waiting_.message())),
        since_(TransitionOf(ready)) {}

  PhaseInfo Judge(const Settings& settings, absl::Time now) const {
    for (const WaitingRow& row : kWaiting) {
      if (row.reason == waiting_.reason()) return Judge(row, settings, now);
    }
    return WithCleanup(RetryableFailure(ErrorKind::kSystem, code_, message_));
  }

 private:
  PhaseInfo Judge(const WaitingRow& row, const Settings& settings,
                  absl::Time now) const {
    if (row.grace != nullptr && now - since_ >= settings.*row.grace) {
      return Failed(row.after, settings.rules,
                    absl::StrFormat("Grace period [%s] exceeded|%s",
                                    GoDuration(settings.*row.grace), message_));
    }
    if (IsFailure(row.phase)) {
      return Failed(row.phase, settings.rules, message_);
    }
    return InPhase(row.phase, absl::StrFormat("[%s]: %s", code_, message_));
  }

  PhaseInfo Failed(Phase phase, const Rules& rules, std::string message) const {
    if (phase == Phase::kPermanentFailure) {
      return WithCleanup(
          PermanentFailure(ErrorKind::kUser, code_, std::move(message)));
    }
    const bool limited =
        rules.registry_limit_is_system &&
        absl::StrContains(waiting_.message(), "429 Too Many Requests");
    return WithCleanup(
        RetryableFailure(limited ? ErrorKind::kSystem : ErrorKind::kUser, code_,
                         std::move(message)));
  }

  const kubernetes::core::v1::ContainerStateWaiting& waiting_;
  const std::string code_;
  const std::string message_;
  const absl::Time since_;
};

std::optional<PhaseInfo> JudgeContainers(const PodStatus& status,
                                         const PodCondition& ready,
                                         const Settings& settings,
                                         absl::Time now) {
  if (settings.rules.judges_init_containers) {
    for (const ContainerStatus& init : status.init_container_statuses()) {
      if (init.state().has_waiting()) {
        return WaitingContainer(ready, init).Judge(settings, now);
      }
    }
  }
  for (const ContainerStatus& container : status.container_statuses()) {
    if (!container.ready() && container.state().has_waiting()) {
      return WaitingContainer(ready, container).Judge(settings, now);
    }
  }
  return std::nullopt;
}

// What one condition says, if anything.
std::optional<PhaseInfo> Judge(const PodStatus& status,
                               const PodCondition& condition,
                               const Settings& settings, absl::Time now) {
  const bool is_false = condition.status() == kFalse;
  // "Unschedulable" is no type that Kubernetes writes.
  if ((condition.type() == "PodScheduled" && is_false) ||
      condition.type() == "Unschedulable") {
    return InPhase(Phase::kQueued, absl::StrFormat("%s:%s", condition.reason(),
                                                   condition.message()));
  }
  if (condition.type() != "Ready" || !is_false) return std::nullopt;
  return JudgeContainers(status, condition, settings, now);
}

}  // namespace

PhaseInfo DemystifyPending(const PodStatus& status, const Settings& settings,
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
  if (IsTerminal(info.phase)) return info;
  const absl::Duration timeout = settings.pod_pending_timeout;
  if (timeout > absl::ZeroDuration() && now - since >= timeout) {
    return WithCleanup(RetryableFailure(settings.rules.pending_timeout_is_system
                                            ? ErrorKind::kSystem
                                            : ErrorKind::kUser,
                                        "PodPendingTimeout", info.reason));
  }
  return info;
}

}  // namespace mulligan::flyte
