#include "policy/operators/kueue/pods_ready.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kNotReadyMessage =
    "Not all pods are ready or succeeded";
constexpr std::string_view kRecoveringMessage =
    "At least one pod has failed, waiting for recovery";
constexpr std::string_view kReadyMessage =
    "All pods reached readiness and the workload is running";

ReadinessClock Running(std::string_view cause, absl::Duration timeout,
                       const Condition& since, absl::Time now) {
  const absl::Duration elapsed = now - ToTime(since.last_transition_time());
  return {std::string(cause),
          std::max(timeout - elapsed, absl::ZeroDuration())};
}

bool IsReason(const Condition* condition, std::string_view reason) {
  return condition != nullptr && condition->reason() == reason;
}

}  // namespace

ReadinessClock ClockOf(const WorkloadStatus& status,
                       const std::optional<WaitForPodsReady>& settings,
                       absl::Time now) {
  if (!settings.has_value() || !IsAdmitted(status)) return {};
  const Condition* const ready = FindCondition(status.conditions(), kPodsReady);
  if (ready != nullptr && ready->status() == "True") return {};
  // "PodsReady" is what older releases wrote.
  if (ready == nullptr || ready->reason() == kWaitForStart ||
      ready->reason() == kPodsReady) {
    return Running(kWaitForStart, settings->timeout,
                   *FindCondition(status.conditions(), kAdmitted), now);
  }
  if (ready->reason() == kWaitForRecovery &&
      settings->recovery_timeout.has_value()) {
    return Running(kWaitForRecovery, *settings->recovery_timeout, *ready, now);
  }
  return {};
}

bool SetPodsReady(bool job_is_ready, absl::Time now, WorkloadStatus& status) {
  auto& conditions = *status.mutable_conditions();
  const auto set = [&](bool value, std::string_view reason,
                       std::string_view message) {
    return SetCondition(kPodsReady, value, reason, message, now, conditions);
  };
  if (!IsAdmitted(status)) return set(false, kWaitForStart, kNotReadyMessage);
  const Condition* const before = FindCondition(conditions, kPodsReady);
  const bool was_recovering =
      IsReason(before, kWaitForRecovery) || IsReason(before, kRecovered);
  if (job_is_ready) {
    return set(true, was_recovering ? kRecovered : kStarted, kReadyMessage);
  }
  if (before != nullptr &&
      (before->status() == "True" || IsReason(before, kWaitForRecovery))) {
    return set(false, kWaitForRecovery, kRecoveringMessage);
  }
  return set(false, kWaitForStart, kNotReadyMessage);
}

}  // namespace mulligan::kueue
