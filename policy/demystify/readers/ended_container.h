// One container that has ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_ENDED_CONTAINER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_ENDED_CONTAINER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"

namespace mulligan::demystify {

struct EndedContainer {
  // Null if the container has not ended.
  const kubernetes::core::v1::ContainerStateTerminated* terminated = nullptr;
  int index = 0;
  bool init = false;
  bool helper = false;
  // Read from lastState.
  bool last = false;
  // It runs again.
  bool recovered = false;
  End end = End::kNone;
  std::int32_t code = 0;
};

// Returns its status in the pod.
const kubernetes::core::v1::ContainerStatus& StatusOf(
    const kubernetes::core::v1::Pod& pod, const EndedContainer& ended);

// Returns whether all containers of the pod are restarted in place (Kubernetes
// 1.36). Exit code 137 and the message are then the kubelet's.
bool IsInPlaceRestart(
    const kubernetes::core::v1::ContainerStateTerminated& terminated);

// Returns the end in `status` that counts: that of `state`, else that of
// `lastState` while the container waits for its next start or runs again.
EndedContainer EndOfContainer(
    const kubernetes::core::v1::ContainerStatus& status);

// Returns whether the container had ended before its owner began to stop the
// pod at `since` (CleanUpBegan in pod_life.h), and its last run is ended by the
// stop: that run is still going, was killed, or ended after `since`.
bool EndsByStopping(const kubernetes::core::v1::ContainerStatus& status,
                    Seconds since);

// Returns the end before the last start, however the run after it ended;
// `terminated` is null if none is reported.
EndedContainer LastEnd(const kubernetes::core::v1::ContainerStatus& status);

// Returns whether its last run is known to be longer than `min` seconds.
bool RanLong(const kubernetes::core::v1::ContainerStatus& status, Seconds min);

// Like EndOfContainer, for a pod that its owner cleans up: excludes the
// clean-up's own end. Ends from `requested` on, and kills from `killed_since`
// on, belong to the clean-up.
EndedContainer EndBefore(const kubernetes::core::v1::ContainerStatus& status,
                         Seconds requested, Seconds killed_since);

bool IsWaitingForRestart(const kubernetes::core::v1::ContainerStatus& status);

// Returns whether the kubelet restarts `ended`, a container of `pod`, according
// to CrashLoopBackOff, the rules by exit code, or else the restart policy
// (kubelet 1.34). False for a pod that has ended or is being stopped.
bool RestartsInPlace(const kubernetes::core::v1::Pod& pod,
                     const EndedContainer& ended);

// Returns the kind of end for an exit code and its reason.
End EndOf(std::int32_t exit_code, std::string_view reason);

// Returns whether the container of this name is a sidecar: an init container
// that is always restarted.
bool IsSidecar(const kubernetes::core::v1::Pod& pod, const std::string& name);

// Returns whether the main container only helps the workload: its name is a
// helper's, it was injected later, or another is marked as main by annotation
// kubectl.kubernetes.io/default-container or the name "main" (Argo, Flyte).
bool IsHelper(const kubernetes::core::v1::Pod& pod, const std::string& name);

// An exit code, its reason, and the row of its message.
struct EndByCode {
  std::int32_t code = 0;
  std::string_view reason;
  const Signature* message = nullptr;
  Seconds at = kUnknownTime;
};

// Adds the exit code at `place` as a fact, unless the reason implies it.
void ReadExitCode(const Context& context, const EndByCode& end,
                  const Place& place, Candidates& facts);

// Adds reason, exit code and texts of `ended`, a container of pods[pod].
void ReadEndedContainer(const Context& context, int pod,
                        const EndedContainer& ended, Candidates& facts);

// Return places in pods[pod].
Place StatusPlace(const EndedContainer& ended, int pod, const char* now,
                  const char* last);
Place ExitCodePlace(const EndedContainer& ended, int pod);
Place ReasonPlace(const EndedContainer& ended, int pod);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_ENDED_CONTAINER_H_
