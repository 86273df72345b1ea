#include "policy/operators/kueue/eviction.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/conditions.h"

namespace mulligan::kueue {
namespace {

// True: the first of this reason and cause.
bool Count(const Eviction& eviction, WorkloadStatus& status) {
  auto& evictions = *status.mutable_scheduling_stats()->mutable_evictions();
  for (auto& entry : evictions) {
    if (entry.reason() != eviction.reason ||
        entry.underlying_cause() != eviction.cause) {
      continue;
    }
    const bool first = entry.count() == 0;
    if (entry.count() < std::numeric_limits<std::int32_t>::max()) {
      entry.set_count(entry.count() + 1);
    }
    return first;
  }
  auto& added = *evictions.Add();
  added.set_reason(eviction.reason);
  added.set_underlying_cause(eviction.cause);
  added.set_count(1);
  return true;
}

std::optional<absl::Duration> ReadyFor(const WorkloadStatus& status) {
  const Condition* const ready = FindCondition(status.conditions(), kPodsReady);
  const Condition* const evicted = FindCondition(status.conditions(), kEvicted);
  if (ready == nullptr || ready->status() != "True" || evicted == nullptr) {
    return std::nullopt;
  }
  return ToTime(evicted->last_transition_time()) -
         ToTime(ready->last_transition_time());
}

struct PreemptionRow {
  std::string_view reason;
  std::string_view words;
};
constexpr std::array<PreemptionRow, 4> kPreemptions = {{
    {"InClusterQueue", "prioritization in the ClusterQueue"},
    {"InCohortReclamation", "reclamation within the cohort"},
    {"InCohortFairSharing", "Fair Sharing within the cohort"},
    {"InCohortReclaimWhileBorrowing",
     "reclamation within the cohort while borrowing"},
}};

std::string_view WordsFor(std::string_view reason) {
  for (const PreemptionRow& row : kPreemptions) {
    if (row.reason == reason) return row.words;
  }
  return "UNKNOWN";
}

std::string_view OrUnknown(const std::string& text) {
  return text.empty() ? std::string_view("UNKNOWN") : text;
}

}  // namespace

std::string ConditionReason(const Eviction& eviction) {
  if (eviction.reason != kDeactivated || eviction.cause.empty()) {
    return eviction.reason;
  }
  return absl::StrCat(eviction.reason, "DueTo", eviction.cause);
}

std::optional<EvictionReport> Evict(const Eviction& eviction, absl::Time now,
                                    WorkloadStatus& status) {
  const std::string reason = ConditionReason(eviction);
  auto& conditions = *status.mutable_conditions();
  SetCondition(kEvicted, true, reason, eviction.message, now, conditions);
  status.clear_cluster_name();
  status.clear_nominated_cluster_names();
  ResetChecks(now, status);
  status.clear_unhealthy_nodes();
  if (IsTrue(conditions, kBlockedOnPreemptionGates)) {
    SetCondition(kBlockedOnPreemptionGates, false, reason, eviction.message,
                 now, conditions);
  }
  const bool first = Count(eviction, status);
  if (!status.has_admission()) return std::nullopt;
  EvictionReport report;
  report.eviction = eviction;
  report.first = first;
  report.event = {std::string(kNormalEvent), "EvictedDueTo" + reason,
                  EventMessage(eviction.message)};
  report.ready_for = ReadyFor(status);
  return report;
}

std::optional<EvictionLatency> LatencyOf(const WorkloadStatus* before,
                                         const WorkloadStatus& after,
                                         absl::Time now) {
  if (before == nullptr || IsFinished(*before) || IsPending(*before) ||
      !IsPending(after) || !IsEvicted(after) ||
      before->admission().cluster_queue().empty()) {
    return std::nullopt;
  }
  const Condition& evicted = *FindCondition(after.conditions(), kEvicted);
  return EvictionLatency{before->admission().cluster_queue(), evicted.reason(),
                         now - ToTime(evicted.last_transition_time())};
}

std::string PreemptionMessage(const Preemptor& preemptor) {
  return absl::StrFormat(
      "Preempted to accommodate a workload (UID: %s, JobUID: %s) due to %s; "
      "preemptor path: %s; preemptee path: %s",
      OrUnknown(preemptor.uid), OrUnknown(preemptor.job_uid),
      WordsFor(preemptor.reason), OrUnknown(preemptor.preemptor_path),
      OrUnknown(preemptor.preemptee_path));
}

}  // namespace mulligan::kueue
