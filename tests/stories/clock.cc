#include "tests/stories/clock.h"

#include "google/protobuf/timestamp.pb.h"

namespace mulligan::stories {
namespace {

using google::protobuf::Timestamp;
namespace core = kubernetes::core::v1;

void Move(int seconds, Timestamp& time) {
  time.set_seconds(time.seconds() + seconds);
}

void StampState(const NodeClock& clock, core::ContainerState& state) {
  if (state.has_running() && !clock.was_set) {
    auto& running = *state.mutable_running();
    if (running.has_started_at()) {
      Move(clock.seconds, *running.mutable_started_at());
    }
  }
  if (!state.has_terminated()) return;
  auto& ended = *state.mutable_terminated();
  if (ended.has_started_at() && !clock.was_set) {
    Move(clock.seconds, *ended.mutable_started_at());
  }
  if (ended.has_finished_at()) {
    Move(clock.seconds, *ended.mutable_finished_at());
  }
}

void StampPod(const NodeClock& clock, core::PodStatus& status) {
  for (auto* containers : {status.mutable_init_container_statuses(),
                           status.mutable_container_statuses()}) {
    for (core::ContainerStatus& container : *containers) {
      if (container.has_state()) StampState(clock, *container.mutable_state());
      if (container.has_last_state()) {
        StampState(clock, *container.mutable_last_state());
      }
    }
  }
  if (clock.was_set) return;
  if (status.has_start_time()) {
    Move(clock.seconds, *status.mutable_start_time());
  }
  for (core::PodCondition& condition : *status.mutable_conditions()) {
    const bool by_control_plane = condition.type() == "PodScheduled" ||
                                  condition.type() == "DisruptionTarget";
    if (!by_control_plane && condition.has_last_transition_time()) {
      Move(clock.seconds, *condition.mutable_last_transition_time());
    }
  }
}

}  // namespace

void StampBy(const NodeClock& clock, v1::FailureReport& report) {
  if (clock.node.empty()) return;
  for (core::Pod& pod : *report.mutable_pods()) {
    if (pod.spec().node_name() == clock.node && pod.has_status()) {
      StampPod(clock, *pod.mutable_status());
    }
  }
}

}  // namespace mulligan::stories
