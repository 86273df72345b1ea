// What is known of a pod before its facts are weighed.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// A device that fails takes the program that uses it along within so long; its
// detector tells of it up to a minute late.
inline constexpr Seconds kDeviceSeenBefore = 300;
inline constexpr Seconds kDeviceSeenAfter = 60;

enum class Phase : std::uint8_t {
  kUnknown,
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
};

// How the deciding container ended, as far as its status tells.
enum class End : std::uint8_t {
  // No end is known.
  kNone,
  // Exit code 0.
  kClean,
  // By itself: any other code.
  kOwn,
  // By a signal somebody sent: 137, 143 and their other notations.
  kKilled,
  // The runtime or kubelet lost it; the code is invented.
  kLost,
};

struct PodState {
  Phase phase = Phase::kUnknown;
  End end = End::kNone;
  // Some container ran.
  bool started = false;
  // A container waits for something other than its next restart.
  bool blocked = false;
  // A container waits for its next restart, and how it ended is not told.
  bool looping = false;
  // The end is that of an earlier run; the container runs again.
  bool recovered = false;
  // The kubelet will start the container that ended again, as its restart
  // policy says, with or without a back-off.
  bool restarting = false;
  // What ended is a container beside one of the work that still runs.
  bool beside = false;
  // It was deleted by an owner that has its reason, and is read as it was
  // before.
  bool cleaned_up = false;
  // When somebody announced the end of the pod while it ran: a disruption, a
  // deletion. Unknown: nobody did, or only after it had ended.
  Seconds marked = kUnknownTime;
  // Between SIGTERM and SIGKILL: spec.terminationGracePeriodSeconds.
  Seconds grace = 30;
  // The deciding container: index in its list, -1 when there is none.
  int container = -1;
  bool init = false;
  std::optional<std::int32_t> exit_code;
  Seconds finished_at = kUnknownTime;
  // Its termination message.
  std::string_view message;
  // Its containers say what they hold, and no accelerator is among it.
  bool without_device = false;

  bool unclear_end() const { return end != End::kOwn && end != End::kClean; }
  // What ended runs again, will without anybody's help, or was not the work.
  bool goes_on() const { return recovered || restarting || beside; }
};

// Whether the container may have held a device. Claims of devices
// (resource.k8s.io) and what a runtime lends to all are not among what it says
// it holds; its last words may tell.
inline bool MayHoldDevice(const PodState& state) {
  const auto says = [&state](std::string_view word) {
    return state.message.find(word) != std::string_view::npos;
  };
  return !state.without_device || says("CUDA") || says("NCCL") || says("GPU");
}

// Whether trouble of a device that showed at `at` can be why the container
// ended by itself.
inline bool IsDeviceOfEnd(const PodState& state, Seconds at) {
  return MayHoldDevice(state) && Known(at) && Known(state.finished_at) &&
         at + kDeviceSeenBefore >= state.finished_at &&
         at <= state.finished_at + kDeviceSeenAfter;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_POD_STATE_H_
