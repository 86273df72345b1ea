#include "client/cli/report/past_reports.h"

#include <algorithm>
#include <optional>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "policy/base/times.h"
#include "policy/request/owners.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

// Exceeds the rounding error of timestamps in whole seconds.
constexpr absl::Duration kLookDelay = absl::Seconds(2);

bool IsAfter(const google::protobuf::Timestamp& time, absl::Time then) {
  return !IsZeroTime(time) && ToTime(time) > then;
}

// Returns the end of the last container of a failed pod.
std::optional<absl::Time> FailureEnd(const core::Pod& pod) {
  if (pod.status().phase() != "Failed") return std::nullopt;
  std::optional<absl::Time> end;
  for (const auto& status : pod.status().container_statuses()) {
    const auto& ended = status.state().terminated();
    if (IsZeroTime(ended.finished_at())) continue;
    end = std::max(end.value_or(absl::InfinitePast()),
                   ToTime(ended.finished_at()));
  }
  return end;
}

// A pod may seem to end before it is created, if the node's clock is behind the
// API server's.
bool ExistedAt(const core::Pod& pod, absl::Time then) {
  const std::optional<absl::Time> end = FailureEnd(pod);
  return !IsAfter(pod.metadata().creation_timestamp(), then) ||
         (end && *end <= then);
}

// Returns the times of failures to report.
std::vector<absl::Time> ReportTimes(const v1::FailureReport& report) {
  std::vector<absl::Time> ends;
  for (const core::Pod& pod : report.pods()) {
    if (const auto end = FailureEnd(pod)) ends.push_back(*end);
  }
  std::ranges::sort(ends);
  std::vector<absl::Time> times;
  for (const absl::Time end : ends) {
    const bool together =
        !times.empty() && end - times.back() <= absl::Seconds(kTogetherSeconds);
    if (together) {
      times.back() = end;
    } else {
      times.push_back(end);
    }
  }
  if (times.size() >= kMaxPastReports) {
    times.erase(times.begin(), times.end() - (kMaxPastReports - 1));
  }
  return times;
}

// Restores the pod to its state at `then`.
void RestoreState(absl::Time then, core::Pod& pod) {
  core::PodStatus& status = *pod.mutable_status();
  auto& conditions = *status.mutable_conditions();
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                  [&](const core::PodCondition& condition) {
                                    return IsAfter(
                                        condition.last_transition_time(), then);
                                  }),
                   conditions.end());
  if (IsAfter(pod.metadata().deletion_timestamp(), then)) {
    pod.mutable_metadata()->clear_deletion_timestamp();
  }
  bool restored = false;
  for (core::ContainerStatus& container :
       *status.mutable_container_statuses()) {
    const auto ended = container.state().terminated();
    if (!IsAfter(ended.finished_at(), then)) continue;
    container.clear_state();
    *container.mutable_state()->mutable_running()->mutable_started_at() =
        ended.started_at();
    restored = true;
  }
  if (!restored) return;
  status.set_phase("Running");
  status.clear_reason();
  status.clear_message();
}

v1::FailureReport AsOf(const v1::FailureReport& report,
                       const v1::WorkloadReference& workload, absl::Time then) {
  v1::FailureReport past;
  SetTime(then, *past.mutable_observed_at());
  *past.mutable_workload() = workload;
  *past.mutable_nodes() = report.nodes();
  for (const core::Pod& pod : report.pods()) {
    if (ExistedAt(pod, then)) RestoreState(then, *past.add_pods() = pod);
  }
  for (const core::Event& event : report.events()) {
    if (!IsAfter(event.last_timestamp(), then) &&
        !IsAfter(event.event_time(), then)) {
      *past.add_events() = event;
    }
  }
  return past;
}

v1::Decision::Action DoneAtLast(const Owners& owners) {
  if (owners.gave_up()) return v1::Decision::FAIL;
  return owners.phase == WorkloadPhase::kSucceeded ||
                 owners.phase == WorkloadPhase::kRestarts
             ? v1::Decision::RETRY
             : v1::Decision::ACTION_UNSPECIFIED;
}

}  // namespace

std::vector<PastReport> PastReports(const v1::FailureReport& report) {
  const Owners owners(report);
  const v1::WorkloadReference workload = WorkloadOf(report);
  const v1::Decision::Action at_last = DoneAtLast(owners);
  std::vector<PastReport> past_reports;
  for (const absl::Time end : ReportTimes(report)) {
    const absl::Time then = end + kLookDelay;
    const bool goes_on = std::ranges::any_of(
        report.pods(),
        [&](const core::Pod& pod) { return !ExistedAt(pod, end); });
    past_reports.push_back({AsOf(report, workload, then),
                            goes_on ? v1::Decision::RETRY : at_last});
  }
  past_reports.push_back({report, at_last});
  return past_reports;
}

}  // namespace mulligan::cli
