#include "policy/operators/kueue/requeue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kubernetes_time.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {

std::optional<absl::Time> RequeueAt(const WorkloadStatus& status) {
  const RequeueState& state = status.requeue_state();
  if (!state.has_requeue_at() || job::IsZero(state.requeue_at())) {
    return std::nullopt;
  }
  return ToTime(state.requeue_at());
}

bool SetRequeueState(absl::Time wait_until, bool increment_count,
                     WorkloadStatus& status) {
  RequeueState& state = *status.mutable_requeue_state();
  bool updated = false;
  if (RequeueAt(status).value_or(absl::InfinitePast()) < wait_until) {
    SetTime(wait_until, *state.mutable_requeue_at());
    updated = true;
  }
  if (increment_count) {
    constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
    state.set_count(std::min(state.count(), kMax - 1) + 1);
    updated = true;
  }
  return updated;
}

void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status) {
  const std::int64_t next =
      static_cast<std::int64_t>(status.requeue_state().count()) + 1;
  SetRequeueState(now + WaitBefore(next, backoff).shortest,
                  /*increment_count=*/true, status);
}

bool BackoffExpired(const WorkloadStatus& status, absl::Time now) {
  if (IsFalse(status.conditions(), kRequeued)) return false;
  return RequeueAt(status).value_or(absl::InfinitePast()) <= now;
}

std::optional<absl::Time> MaxRetryTime(const WorkloadStatus& status) {
  std::optional<absl::Time> latest;
  for (const AdmissionCheckState& check : status.admission_checks()) {
    if (check.state() != "Retry" || !check.has_requeue_after_seconds() ||
        job::IsZero(check.last_transition_time())) {
      continue;
    }
    const absl::Time retry = ToTime(check.last_transition_time()) +
                             absl::Seconds(check.requeue_after_seconds());
    latest = std::max(latest.value_or(retry), retry);
  }
  return latest;
}

std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now) {
  const std::optional<absl::Time> latest = MaxRetryTime(status);
  if (!latest.has_value() || *latest <= now) return std::nullopt;
  if (RequeueAt(status).value_or(absl::InfinitePast()) >= *latest) {
    return std::nullopt;
  }
  return latest;
}

}  // namespace mulligan::kueue
