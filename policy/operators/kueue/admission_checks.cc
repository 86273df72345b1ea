#include "policy/operators/kueue/admission_checks.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

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
    after.set_retry_count(static_cast<std::int32_t>(
        std::min<std::int64_t>(kMaxInt32, before.retry_count() + 1LL)));
  }
  return after;
}

bool ByName(const AdmissionCheckState& a, const AdmissionCheckState& b) {
  return a.name() < b.name();
}

void AddPastExecution(absl::Time now, WorkloadStatus& status) {
  const Condition* const admitted =
      FindCondition(status.conditions(), kAdmitted);
  if (admitted == nullptr || admitted->status() != "True") return;
  const std::int64_t seconds =
      absl::ToInt64Seconds(now - ToTime(admitted->last_transition_time()));
  const std::int64_t sum =
      status.accumulated_past_execution_time_seconds() +
      std::clamp<std::int64_t>(seconds, -kMaxInt32, kMaxInt32);
  status.set_accumulated_past_execution_time_seconds(
      static_cast<std::int32_t>(std::clamp(sum, -kMaxInt32, kMaxInt32)));
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
  std::stable_sort(checks.begin(), checks.end(), ByName);
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

bool SyncChecks(const std::vector<std::string>& wanted, absl::Time now,
                WorkloadStatus& status) {
  auto& checks = *status.mutable_admission_checks();
  const auto is_wanted = [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  const auto first = std::remove_if(checks.begin(), checks.end(),
                                    [&](const AdmissionCheckState& check) {
                                      return !is_wanted(check.name());
                                    });
  bool changed = first != checks.end();
  checks.erase(first, checks.end());
  for (const std::string& name : wanted) {
    if (std::any_of(checks.begin(), checks.end(),
                    [&](const auto& check) { return check.name() == name; })) {
      continue;
    }
    AdmissionCheckState& added = *checks.Add();
    added.set_name(name);
    added.set_state(std::string(kCheckPending));
    SetTime(now, *added.mutable_last_transition_time());
    changed = true;
  }
  if (changed) std::stable_sort(checks.begin(), checks.end(), ByName);
  return changed;
}

bool SyncAdmitted(absl::Time now, WorkloadStatus& status) {
  const bool reserved = HasQuotaReservation(status);
  const bool ready = AreAllChecksReady(status);
  const bool admitted = reserved && ready;
  if (IsAdmitted(status) && admitted) return false;
  if (!admitted) AddPastExecution(now, status);
  auto& conditions = *status.mutable_conditions();
  if (admitted) {
    return SetCondition(kAdmitted, true, kAdmitted, "The workload is admitted",
                        now, conditions);
  }
  if (!reserved) {
    return SetCondition(kAdmitted, false, "NoReservation",
                        "The workload has no reservation", now, conditions);
  }
  return SetCondition(kAdmitted, false, "UnsatisfiedAdmissionChecks",
                      "The workload has not all checks ready", now, conditions);
}

}  // namespace mulligan::kueue
