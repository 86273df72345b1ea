// The state of a pod before its facts are weighed.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Seconds. A failing device ends its program within kDeviceSeenBefore; its
// detector reports it up to kDeviceSeenAfter later.
inline constexpr Seconds kDeviceSeenBefore = 300;
inline constexpr Seconds kDeviceSeenAfter = 60;

enum class Phase : std::uint8_t {
  kUnknown,
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
};

// How the deciding container ended, by its status.
enum class End : std::uint8_t {
  // No end is known.
  kNone,
  // Exit code 0.
  kClean,
  // By itself, with another code.
  kOwn,
  // By a signal from outside: exit code 137, 143 or an equivalent.
  kKilled,
  // The runtime or kubelet lost it, so the code is invented.
  kLost,
};

struct PodState {
  Phase phase = Phase::kUnknown;
  End end = End::kNone;
  // A container has run.
  bool started = false;
  // A container waits for something other than its next restart.
  bool blocked = false;
  // A container waits for its next restart, and its last end is not reported.
  bool looping = false;
  // The end is of an earlier run; the container runs again.
  bool recovered = false;
  // The kubelet will restart the ended container by its restart policy, with or
  // without back-off.
  bool restarting = false;
  // The ended container is not part of the work, which still runs.
  bool work_runs = false;
  // Its owner cleaned it up, so it is read as it was before.
  bool cleaned_up = false;
  // When a disruption or deletion announced the end of the running pod. Unknown
  // if none did before the end.
  Seconds marked = kUnknownTime;
  // Seconds between SIGTERM and SIGKILL: spec.terminationGracePeriodSeconds.
  Seconds grace = 30;
  // The deciding container: index in its list, -1 if there is none.
  int container = -1;
  bool init = false;
  std::optional<std::int32_t> exit_code;
  Seconds finished_at = kUnknownTime;
  // Its termination message.
  std::string_view message;
  // Its containers state their resources and request no accelerator.
  bool without_device = false;

  bool unclear_end() const { return end != End::kOwn && end != End::kClean; }
  // Returns whether the container runs again or restarts, or the work runs.
  bool goes_on() const { return recovered || restarting || work_runs; }
};

// Returns whether the container may have had a device. Its resources list
// neither device claims (resource.k8s.io) nor devices that a runtime gives to
// all containers, but its final output may mention them.
inline bool MayHoldDevice(const PodState& state) {
  const auto says = [&state](std::string_view word) {
    return state.message.find(word) != std::string_view::npos;
  };
  return !state.without_device || says("CUDA") || says("NCCL") || says("GPU");
}

// Returns whether the cause is a fault of a device or of a link between them.
inline bool IsOfDevice(v1::Cause cause) {
  return cause == v1::GPU_FAULT || cause == v1::FABRIC_FAULT;
}

// Returns whether a device fault at `at` may explain the container's own end.
inline bool IsDeviceOfEnd(const PodState& state, Seconds at) {
  return MayHoldDevice(state) && Known(at) && Known(state.finished_at) &&
         at + kDeviceSeenBefore >= state.finished_at &&
         at <= state.finished_at + kDeviceSeenAfter;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_
