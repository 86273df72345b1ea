// What one pod says about its own end.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// A pod that starts or ends for longer than this is stuck.
inline constexpr Seconds kStuck = 600;
// A node that does not answer for so long has lost its pods: as long as
// Kubernetes waits (tolerationSeconds of the default tolerations).
inline constexpr Seconds kNodePatience = 300;

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

// What is known of a pod before its facts are weighed.
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
  // The deciding container: index in its list, -1 when there is none.
  int container = -1;
  bool init = false;
  std::optional<std::int32_t> exit_code;
  Seconds finished_at = kUnknownTime;
  // Its termination message.
  std::string_view message;

  bool unclear_end() const { return end != End::kOwn && end != End::kClean; }
};

// Whether trouble of a device that showed at `at` can be why the container
// ended by itself.
bool IsDeviceOfEnd(const PodState& state, Seconds at);

struct PodReading {
  int pod = -1;
  PodState state;
  // The strongest fact; row is null when nothing is wrong with the pod.
  Candidate best;

  bool failing() const { return best.row != nullptr; }
};

// Reads pods[index] with the events and the node that belong to it. Appends
// every fact to `facts`, which must be empty, weighed against each other, and
// sets `best`. Linear in the size of the pod and its events.
PodReading ReadPod(const Context& context, int index, Candidates& facts);

// Whether an init container is at work: it may take as long as it likes.
bool InitRuns(const kubernetes::core::v1::Pod& pod);

// Since when a pod that has not started is starting; unknown without a time.
Seconds StartingSince(const kubernetes::core::v1::Pod& pod);

// The name of the deciding container; empty when there is none.
std::string_view ContainerName(const kubernetes::core::v1::Pod& pod,
                               const PodState& state);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_READER_H_
