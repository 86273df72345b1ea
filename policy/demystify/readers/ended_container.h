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
  // Null: the container has not ended.
  const kubernetes::core::v1::ContainerStateTerminated* terminated = nullptr;
  int index = 0;
  bool init = false;
  bool helper = false;
  // Read from lastState.
  bool last = false;
  // Runs again by now.
  bool recovered = false;
  End end = End::kNone;
  std::int32_t code = 0;
};

// Its status in the pod that it is of.
const kubernetes::core::v1::ContainerStatus& StatusOf(
    const kubernetes::core::v1::Pod& pod, const EndedContainer& ended);

// The end in `status` that counts: `state` before `lastState`, which counts
// only while the container waits for its next start or runs again.
EndedContainer EndOfContainer(
    const kubernetes::core::v1::ContainerStatus& status);

// Whether the container of a pod that its owner stops (CleanUpBegan in
// pod_life.h: since when) ended before that, and its last run ends by it: it
// runs still, was killed, or ended later, with whatever code the program
// answers a SIGTERM.
bool EndsByStopping(const kubernetes::core::v1::ContainerStatus& status,
                    Seconds since);

// The end before the last start, however the run after it ended; null where
// none is told.
EndedContainer LastEnd(const kubernetes::core::v1::ContainerStatus& status);

// Whether its last run took more than `least`; unknown times are none.
bool RanLong(const kubernetes::core::v1::ContainerStatus& status,
             Seconds least);

// EndOfContainer of a pod that its owner cleans up: the end before the one by
// that, if there is any. What ended from `requested` on ended by it, and what
// was killed from `killed_since` on.
EndedContainer EndBefore(const kubernetes::core::v1::ContainerStatus& status,
                         Seconds requested, Seconds killed_since);

bool IsWaitingForRestart(const kubernetes::core::v1::ContainerStatus& status);

// Whether the kubelet starts `ended`, a container of `pod`, again: it waits for
// that (CrashLoopBackOff), or its rules by exit code and else its restart
// policy say so (kubelet 1.34). Nothing is restarted in a pod that has ended or
// is being stopped.
bool RestartsInPlace(const kubernetes::core::v1::Pod& pod,
                     const EndedContainer& ended);

// The end in an exit code and the reason beside it.
End EndOf(std::int32_t exit_code, std::string_view reason);

// Whether the container of this name is an init container that is always
// restarted, that is a sidecar.
bool IsSidecar(const kubernetes::core::v1::Pod& pod, const std::string& name);

// Whether the main container of this name helps the workload only: known by
// name, injected after the pod was written, or beside the one that is said to
// be the main one, by annotation kubectl.kubernetes.io/default-container or by
// the name "main" (Argo, Flyte).
bool IsHelper(const kubernetes::core::v1::Pod& pod, const std::string& name);

// A code, what stands beside it, and the row that its message says.
struct EndByCode {
  std::int32_t code = 0;
  std::string_view reason;
  const Signature* told = nullptr;
  Seconds at = kUnknownTime;
};

// Adds what the code of an end at `place` says, unless it only goes with the
// reason.
void ReadExitCode(const Context& context, const EndByCode& end,
                  const Place& place, Candidates& facts);

// Adds reason, exit code and texts of `ended`, a container of pods[pod].
void ReadEndedContainer(const Context& context, int pod,
                        const EndedContainer& ended, Candidates& facts);

// Places in pods[pod].
Place StatusPlace(const EndedContainer& ended, int pod, const char* now,
                  const char* last);
Place ExitCodePlace(const EndedContainer& ended, int pod);
Place ReasonPlace(const EndedContainer& ended, int pod);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_ENDED_CONTAINER_H_
