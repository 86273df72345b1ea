#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/story/story.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

constexpr std::size_t kMaxLanes = 24;
constexpr std::size_t kMaxShownEvents = 20;

std::int64_t SecondsOf(const google::protobuf::Timestamp& time) {
  return IsSet(time) ? time.seconds() : 0;
}

// Returns the earlier of two times, of which 0 means unknown.
std::int64_t Earlier(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return a + b;
  return std::min(a, b);
}

std::string EndNote(const core::ContainerStateTerminated& end) {
  std::string note = absl::StrFormat("exit code %d", end.exit_code());
  if (!end.reason().empty() && end.reason() != "Error") {
    note = absl::StrCat(end.reason(), ", ", note);
  }
  return note;
}

// Fills times and note from the containers of the pod.
void ReadContainers(const core::Pod& pod, Lane& lane) {
  bool running = false;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    for (const auto* state : {&status.last_state(), &status.state()}) {
      if (state->has_terminated()) {
        const core::ContainerStateTerminated& end = state->terminated();
        lane.begin = Earlier(lane.begin, SecondsOf(end.started_at()));
        const std::int64_t finished = SecondsOf(end.finished_at());
        if (finished >= lane.end &&
            (lane.note.empty() || end.exit_code() != 0)) {
          lane.note = EndNote(end);
        }
        lane.end = std::max(lane.end, finished);
      } else if (state->has_running()) {
        lane.begin =
            Earlier(lane.begin, SecondsOf(state->running().started_at()));
        running = true;
      } else if (state->has_waiting()) {
        lane.note = state->waiting().reason();
      }
    }
  }
  const std::string& phase = pod.status().phase();
  lane.open = running || phase == "Pending" || phase == "Running";
}

Lane LaneOf(const core::Pod& pod, std::int64_t observed) {
  Lane lane;
  lane.name = pod.metadata().name();
  ReadContainers(pod, lane);
  for (const core::PodCondition& condition : pod.status().conditions()) {
    if (condition.type() != "DisruptionTarget" ||
        condition.status() != "True") {
      continue;
    }
    const std::int64_t at = SecondsOf(condition.last_transition_time());
    lane.role = Lane::Role::kDisrupted;
    if (at != 0) lane.disruptions.push_back({at, condition.reason()});
    if (lane.end == 0 && !lane.open) lane.end = at;
    if (lane.note.empty()) lane.note = condition.reason();
  }
  if (lane.begin == 0) lane.begin = SecondsOf(pod.status().start_time());
  if (lane.begin == 0) {
    lane.begin = SecondsOf(pod.metadata().creation_timestamp());
  }
  if (!pod.status().reason().empty()) lane.note = pod.status().reason();
  if (lane.open) {
    lane.end = std::max(lane.end, observed);
    if (lane.note.empty()) {
      lane.note = pod.status().phase() == "Pending" ? "pending" : "running";
    }
  }
  if (lane.end == 0) lane.end = observed;
  lane.end = std::max(lane.end, lane.begin);
  return lane;
}

void TellRole(const v1::Diagnosis& diagnosis, Lane& lane) {
  if (lane.name == diagnosis.culprit().pod()) {
    lane.role = Lane::Role::kRoot;
    return;
  }
  for (const v1::Cascade& cascade : diagnosis.cascades()) {
    if (cascade.pod() == lane.name) lane.role = Lane::Role::kCascade;
  }
}

std::int64_t TimeOf(const core::Event& event) {
  for (const auto* time :
       {&event.last_timestamp(), &event.event_time(), &event.first_timestamp(),
        &event.metadata().creation_timestamp()}) {
    if (SecondsOf(*time) != 0) return SecondsOf(*time);
  }
  return 0;
}

// "Pod a: BackOff: ... (14 times)".
std::string TextOf(const core::Event& event) {
  const core::ObjectReference& about = event.involved_object();
  std::string text =
      absl::StrFormat("%s %s: %s: %s", about.kind(), about.name(),
                      event.reason(), event.message());
  const int times = std::max(event.count(), event.series().count());
  if (times > 1) absl::StrAppend(&text, " (", times, " times)");
  return text;
}

// Sets `hidden` to the number of omitted events.
std::vector<Moment> EventsOf(const v1::FailureReport& report, int& hidden) {
  // False for warnings, and the moment.
  std::vector<std::pair<bool, Moment>> timed;
  for (const core::Event& event : report.events()) {
    const std::int64_t at = TimeOf(event);
    if (at == 0) continue;
    timed.push_back({event.type() != "Warning", {at, TextOf(event)}});
  }
  // If not all fit, warnings come first, then the latest.
  std::ranges::stable_sort(timed, {}, [](const auto& event) {
    return std::pair(event.first, -event.second.at);
  });
  if (timed.size() > kMaxShownEvents) {
    hidden = static_cast<int>(timed.size() - kMaxShownEvents);
    timed.resize(kMaxShownEvents);
  }
  std::vector<Moment> events;
  for (auto& [rank, moment] : timed) events.push_back(std::move(moment));
  std::ranges::stable_sort(events, {}, &Moment::at);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].number = static_cast<int>(i) + 1;
  }
  return events;
}

}  // namespace

std::int64_t Timeline::Begin() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const Lane& lane : lanes) begin = std::min(begin, lane.begin);
  for (const Moment& event : events) begin = std::min(begin, event.at);
  return begin;
}

std::int64_t Timeline::End() const {
  std::int64_t end = 0;
  for (const Lane& lane : lanes) end = std::max(end, lane.end);
  for (const Moment& event : events) end = std::max(end, event.at);
  return end;
}

Timeline AttemptTimeline(const Story& story) {
  Timeline timeline;
  if (story.attempts.size() < 2) return timeline;
  for (const Attempt& attempt : story.attempts) {
    Lane& lane = timeline.lanes.emplace_back();
    lane.name = absl::StrFormat("Attempt %d", attempt.number);
    lane.role = attempt.is_current ? Lane::Role::kRoot : Lane::Role::kOther;
    lane.note = v1::Cause_Name(attempt.cause);
    lane.end = attempt.ended.seconds();
    lane.begin = lane.end - (attempt.ran_for ? attempt.ran_for->seconds() : 0);
  }
  if (timeline.lanes.size() > kMaxLanes) {
    timeline.hidden = static_cast<int>(timeline.lanes.size() - kMaxLanes);
    timeline.lanes.erase(timeline.lanes.begin(),
                         timeline.lanes.begin() + timeline.hidden);
  }
  return timeline;
}

Timeline MemberTimeline(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis) {
  Timeline timeline;
  for (const core::Pod& pod : report.pods()) {
    Lane lane = LaneOf(pod, SecondsOf(report.observed_at()));
    TellRole(diagnosis, lane);
    if (lane.begin == 0) {
      ++timeline.hidden;
    } else {
      timeline.lanes.push_back(std::move(lane));
    }
  }
  std::ranges::stable_sort(timeline.lanes, [](const Lane& a, const Lane& b) {
    return std::tie(a.role, a.end, a.name) < std::tie(b.role, b.end, b.name);
  });
  if (timeline.lanes.size() > kMaxLanes) {
    timeline.hidden += static_cast<int>(timeline.lanes.size() - kMaxLanes);
    timeline.lanes.resize(kMaxLanes);
  }
  timeline.events = EventsOf(report, timeline.hidden_events);
  return timeline;
}

Timeline ZoomToEnd(const Timeline& members) {
  // Draws only a window this many times smaller than the whole.
  constexpr std::int64_t kCloser = 8;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (const Lane& lane : members.lanes) {
    if (lane.open) continue;
    first = std::min(first, lane.end);
    last = std::max(last, lane.end);
    for (const Moment& disruption : lane.disruptions) {
      first = std::min(first, disruption.at);
    }
  }
  if (members.lanes.size() < 2 || last <= first) return {};
  const std::int64_t margin = std::max<std::int64_t>((last - first) / 4, 2);
  const std::int64_t begin = first - margin;
  if ((last - begin) * kCloser > members.End() - members.Begin()) return {};
  Timeline end;
  for (Lane lane : members.lanes) {
    if (lane.end < begin || lane.begin > last) continue;
    lane.begin = std::max(lane.begin, begin);
    lane.end = std::min(lane.end, last + margin);
    end.lanes.push_back(std::move(lane));
  }
  for (const Moment& event : members.events) {
    if (event.at >= begin && event.at <= last + margin) {
      end.events.push_back(event);
    }
  }
  return end;
}

}  // namespace mulligan::cli
