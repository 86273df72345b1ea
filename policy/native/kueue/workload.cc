#include "policy/native/kueue/workload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/native/go_text.h"

namespace mulligan::kueue {
namespace {

std::string TruncateMessage(std::string_view text) {
  constexpr std::size_t kMaxMessage = std::size_t{32} * 1024;
  constexpr std::string_view kEllipsis = " ...";
  if (text.size() <= kMaxMessage) return std::string(text);
  return absl::StrCat(
      std::string(text.substr(0, kMaxMessage - kEllipsis.size())),
      std::string(kEllipsis));
}

std::int32_t OneMore(std::int32_t count) {
  constexpr std::int32_t kMaxCount = std::numeric_limits<std::int32_t>::max();
  return std::min(count, kMaxCount - 1) + 1;
}

void ResetChecks(WorkloadStatus& status) {
  for (AdmissionCheckState& check : *status.mutable_admission_checks()) {
    if (check.state() == kCheckPending) continue;
    if (check.state() == kCheckRetry) {
      check.set_retry_count(OneMore(check.retry_count()));
    } else {
      check.clear_retry_count();
    }
    check.set_state(std::string(kCheckPending));
  }
}

void CountEviction(const Eviction& eviction, WorkloadStatus& status) {
  auto& evictions = *status.mutable_scheduling_stats()->mutable_evictions();
  for (auto& entry : evictions) {
    if (entry.reason() != eviction.reason ||
        entry.underlying_cause() != eviction.cause) {
      continue;
    }
    return entry.set_count(OneMore(entry.count()));
  }
  auto& added = *evictions.Add();
  added.set_reason(eviction.reason);
  added.set_underlying_cause(eviction.cause);
  added.set_count(1);
}

}  // namespace

Condition& SetCondition(std::string_view type, bool value,
                        std::string_view reason, std::string_view message,
                        WorkloadStatus& status) {
  Conditions& conditions = *status.mutable_conditions();
  const auto found = std::ranges::find_if(
      conditions,
      [&](const Condition& present) { return present.type() == type; });
  Condition& condition = found == conditions.end() ? *conditions.Add() : *found;
  condition.set_type(std::string(type));
  condition.set_status(value ? "True" : "False");
  condition.set_reason(std::string(reason));
  condition.set_message(TruncateMessage(message));
  return condition;
}

bool IsActive(const Workload& workload) {
  return !workload.spec().has_active() || workload.spec().active();
}

bool IsDeactivation(std::string_view reason) {
  return reason.starts_with(kDeactivated);
}

bool HasCheckIn(std::string_view state, const WorkloadStatus& status) {
  return FindIn(status.admission_checks(), [&](const auto& check) {
           return check.state() == state;
         }) != nullptr;
}

std::string ChecksMessage(std::string_view state,
                          const WorkloadStatus& status) {
  std::vector<const AdmissionCheckState*> checks;
  for (const AdmissionCheckState& check : status.admission_checks()) {
    if (check.state() == state) checks.push_back(&check);
  }
  std::ranges::stable_sort(checks, [](const auto* a, const auto* b) {
    return a->name() < b->name();
  });
  const std::string parts = absl::StrJoin(
      checks, "; ", [](std::string* out, const AdmissionCheckState* check) {
        absl::StrAppend(out, QuotedValue(check->name()));
        if (check->message().empty()) return;
        absl::StrAppend(out, " (", check->message(), ")");
      });
  return absl::StrFormat("AdmissionCheck%s in %s state: %s",
                         checks.size() > 1 ? "s" : "", state, parts);
}

std::optional<absl::Time> RequeueAt(const WorkloadStatus& status) {
  return TimeIfSet(status.requeue_state().requeue_at());
}

void DelayRequeue(absl::Time until, WorkloadStatus& status) {
  if (RequeueAt(status).value_or(absl::InfinitePast()) >= until) return;
  SetTime(until, *status.mutable_requeue_state()->mutable_requeue_at());
}

void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status) {
  auto& state = *status.mutable_requeue_state();
  DelayRequeue(now + WaitBefore(state.count() + 1LL, backoff), status);
  state.set_count(OneMore(state.count()));
}

std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now) {
  std::optional<absl::Time> latest;
  for (const AdmissionCheckState& check : status.admission_checks()) {
    if (check.state() != kCheckRetry || !check.has_requeue_after_seconds() ||
        IsZeroTime(check.last_transition_time())) {
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

void Evict(const Eviction& eviction, WorkloadStatus& status) {
  std::string reason = eviction.reason;
  if (reason == kDeactivated && !eviction.cause.empty()) {
    absl::StrAppend(&reason, "DueTo", eviction.cause);
  }
  SetCondition(kEvicted, true, reason, eviction.message, status);
  ResetChecks(status);
  CountEviction(eviction, status);
}

}  // namespace mulligan::kueue
