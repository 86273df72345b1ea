#include "policy/operators/kueue/checks.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/operators/job/time.h"
#include "policy/operators/kubernetes_field_error.h"

namespace mulligan::kueue {
namespace {

constexpr std::int32_t kMaxCount = std::numeric_limits<std::int32_t>::max();

std::int32_t OneMore(std::int32_t count) {
  return std::min(count, kMaxCount - 1) + 1;
}

AdmissionCheckState Reset(const AdmissionCheckState& before, absl::Time now) {
  AdmissionCheckState after;
  after.set_name(before.name());
  after.set_state(std::string(kCheckPending));
  after.set_message("Reset to Pending after eviction. Previously: " +
                    before.state());
  SetTime(now, *after.mutable_last_transition_time());
  if (before.has_requeue_after_seconds()) {
    after.set_requeue_after_seconds(before.requeue_after_seconds());
  }
  if (before.state() == kCheckRetry) {
    after.set_retry_count(OneMore(before.retry_count()));
  }
  return after;
}

}  // namespace

bool HasCheckIn(std::string_view state, const WorkloadStatus& status) {
  const auto& checks = status.admission_checks();
  return std::any_of(
      checks.begin(), checks.end(),
      [&](const AdmissionCheckState& check) { return check.state() == state; });
}

bool AreAllChecksReady(const WorkloadStatus& status) {
  const auto& checks = status.admission_checks();
  return std::all_of(checks.begin(), checks.end(),
                     [](const AdmissionCheckState& check) {
                       return check.state() == kCheckReady;
                     });
}

std::string ChecksMessage(std::string_view state,
                          const WorkloadStatus& status) {
  std::vector<AdmissionCheckState> checks;
  for (const AdmissionCheckState& check : status.admission_checks()) {
    if (check.state() == state) checks.push_back(check);
  }
  std::stable_sort(
      checks.begin(), checks.end(),
      [](const auto& a, const auto& b) { return a.name() < b.name(); });
  std::vector<std::string> parts;
  for (const AdmissionCheckState& check : checks) {
    std::string part = QuotedValue(check.name());
    if (!check.message().empty()) {
      part += absl::StrFormat(" (%s)", check.message());
    }
    parts.push_back(std::move(part));
  }
  return absl::StrFormat("AdmissionCheck%s in %s state: %s",
                         checks.size() > 1 ? "s" : "", state,
                         absl::StrJoin(parts, "; "));
}

void ResetChecks(absl::Time now, WorkloadStatus& status) {
  for (AdmissionCheckState& check : *status.mutable_admission_checks()) {
    if (check.state() != kCheckPending) check = Reset(check, now);
  }
}

std::optional<absl::Time> RequeueAt(const WorkloadStatus& status) {
  const RequeueState& state = status.requeue_state();
  if (job::IsZero(state.requeue_at())) return std::nullopt;
  return ToTime(state.requeue_at());
}

void DelayRequeue(absl::Time until, WorkloadStatus& status) {
  if (RequeueAt(status).value_or(absl::InfinitePast()) >= until) return;
  SetTime(until, *status.mutable_requeue_state()->mutable_requeue_at());
}

void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status) {
  RequeueState& state = *status.mutable_requeue_state();
  DelayRequeue(now + WaitBefore(state.count() + 1LL, backoff), status);
  state.set_count(OneMore(state.count()));
}

std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now) {
  std::optional<absl::Time> latest;
  for (const AdmissionCheckState& check : status.admission_checks()) {
    if (check.state() != kCheckRetry || !check.has_requeue_after_seconds() ||
        job::IsZero(check.last_transition_time())) {
      continue;
    }
    const absl::Time retry = ToTime(check.last_transition_time()) +
                             absl::Seconds(check.requeue_after_seconds());
    latest = std::max(latest.value_or(retry), retry);
  }
  const absl::Time already = RequeueAt(status).value_or(absl::InfinitePast());
  if (latest.has_value() && *latest > now && *latest > already) return latest;
  return std::nullopt;
}

}  // namespace mulligan::kueue
