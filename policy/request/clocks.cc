#include "policy/request/clocks.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "policy/base/conditions.h"
#include "policy/base/utf8.h"
#include "policy/request/container_ends.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using google::protobuf::Timestamp;

// Timestamps are truncated to seconds, and two may be truncated differently.
constexpr std::int64_t kRounding = 2;

// Returns the latest known time before the kubelet accepted the pod, by the API
// server's clock; 0 if unknown.
std::int64_t AcceptedAfter(const core::Pod& pod) {
  const Timestamp& created = pod.metadata().creation_timestamp();
  std::int64_t after = IsSet(created) ? created.seconds() : 0;
  const auto* const placed =
      FindCondition(pod.status().conditions(), "PodScheduled", "True");
  if (placed != nullptr && IsSet(placed->last_transition_time())) {
    after = std::max(after, placed->last_transition_time().seconds());
  }
  return after;
}

// Returns a lower bound on how far the clock of the pod's node is behind.
std::int64_t SecondsBehind(const core::Pod& pod) {
  const std::int64_t after = AcceptedAfter(pod);
  if (after == 0) return 0;
  std::int64_t first = after;
  const auto consider = [&first](const Timestamp& time) {
    if (IsSet(time)) first = std::min(first, time.seconds());
  };
  consider(pod.status().start_time());
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (status.state().has_running()) {
      consider(status.state().running().started_at());
    }
  }
  ForEachEnd(pod.status(),
             [&consider](const core::ContainerStateTerminated& end) {
               consider(end.started_at());
             });
  return after - first > kRounding ? after - first : 0;
}

std::int64_t CreatedAt(const core::Pod& pod) {
  const Timestamp& created = pod.metadata().creation_timestamp();
  return IsSet(created) ? created.seconds() : 0;
}

// The range of possible end times: from the pod's creation to the report.
struct Span {
  std::int64_t created;
  std::int64_t observed;
};

enum class End { kPossible, kImpossible, kBeforeStart };

// `behind` is added to the times of the run.
End Judge(const core::ContainerStateTerminated& run, const Span& span,
          std::int64_t behind) {
  if (!IsSet(run.finished_at())) return End::kPossible;
  const std::int64_t finished = run.finished_at().seconds() + behind;
  if (finished < span.created || finished > span.observed + kRounding) {
    return End::kImpossible;
  }
  const bool before =
      IsSet(run.started_at()) && finished < run.started_at().seconds() + behind;
  return before ? End::kBeforeStart : End::kPossible;
}

bool HasWrongEnd(const core::Pod& pod, const Span& span, std::int64_t behind) {
  bool found = false;
  ForEachEnd(pod.status(), [&](const core::ContainerStateTerminated& run) {
    found = found || Judge(run, span, behind) != End::kPossible;
  });
  return found;
}

void RepairEnds(const Span& span, core::PodStatus& status) {
  ForEachEnd(status, [&span](core::ContainerStateTerminated& run) {
    const End end = Judge(run, span, 0);
    if (end == End::kImpossible) {
      run.mutable_finished_at()->set_seconds(
          std::max(span.observed, span.created));
      run.mutable_finished_at()->clear_nanos();
    }
    if (end != End::kPossible &&
        run.started_at().seconds() > run.finished_at().seconds()) {
      run.clear_started_at();
    }
  });
}

// Moves the times in the status that the kubelet set.
void Move(std::int64_t seconds, core::PodStatus& status) {
  const auto move = [seconds](Timestamp* time) {
    if (IsSet(*time)) time->set_seconds(time->seconds() + seconds);
  };
  if (status.has_start_time()) move(status.mutable_start_time());
  for (core::PodCondition& condition : *status.mutable_conditions()) {
    if (condition.type() == "PodScheduled" ||
        condition.type() == "DisruptionTarget" ||
        !condition.has_last_transition_time()) {
      continue;
    }
    move(condition.mutable_last_transition_time());
  }
  for (core::ContainerStatus& container :
       *status.mutable_container_statuses()) {
    if (container.state().has_running()) {
      move(container.mutable_state()->mutable_running()->mutable_started_at());
    }
  }
  ForEachEnd(status, [&move](core::ContainerStateTerminated& end) {
    if (end.has_started_at()) move(end.mutable_started_at());
    if (end.has_finished_at()) move(end.mutable_finished_at());
  });
}

std::string DescribeRepair(const core::Pod& pod, std::int64_t behind) {
  const std::string& name = pod.metadata().name();
  if (behind > 0) {
    return Visible(absl::StrCat(
        "the clock of node ", pod.spec().node_name(), " is ", behind,
        " s behind the API server's, by pod ", name, ": its times were moved"));
  }
  return Visible(absl::StrCat(
      "pod ", name, " says an end that cannot be: the clock of node ",
      pod.spec().node_name(), " is ahead, or was set meanwhile"));
}

}  // namespace

bool HasWrongTimes(const v1::FailureReport& report,
                   const Timestamp& observed_at) {
  return std::ranges::any_of(report.pods(), [&](const core::Pod& pod) {
    return SecondsBehind(pod) > 0 ||
           HasWrongEnd(pod, {CreatedAt(pod), observed_at.seconds()}, 0);
  });
}

std::string RepairTimes(v1::FailureReport& report,
                        const Timestamp& observed_at) {
  std::string description;
  std::unordered_map<std::string_view, std::int64_t> behind_of;
  for (core::Pod& pod : *report.mutable_pods()) {
    const Span span = {CreatedAt(pod), observed_at.seconds()};
    const std::int64_t behind = SecondsBehind(pod);
    const bool wrong_end = HasWrongEnd(pod, span, behind);
    if (behind == 0 && !wrong_end) continue;
    if (description.empty()) description = DescribeRepair(pod, behind);
    if (behind > 0) {
      Move(behind, *pod.mutable_status());
      behind_of.emplace(pod.metadata().name(), behind);
    }
    if (wrong_end) RepairEnds(span, *pod.mutable_status());
  }
  for (core::Event& event : *report.mutable_events()) {
    if (behind_of.empty() || event.source().component() != "kubelet") continue;
    const auto found = behind_of.find(event.involved_object().name());
    if (found == behind_of.end()) continue;
    const auto move = [&found](Timestamp& time) {
      if (IsSet(time)) time.set_seconds(time.seconds() + found->second);
    };
    if (event.has_first_timestamp()) move(*event.mutable_first_timestamp());
    if (event.has_last_timestamp()) move(*event.mutable_last_timestamp());
  }
  return description;
}

}  // namespace mulligan
