// What each kind of object in a report says: a reader each, and what a pod's
// own readers share.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_READERS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_READERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/pod_state.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {

// A pod that starts or ends for longer than this is stuck.
inline constexpr Seconds kStuck = 600;
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

// Whether a container of the pod runs, and none of its main ones has ended or
// waits.
bool PodRuns(const kubernetes::core::v1::Pod& pod);

// Whether a container of the pod runs that is no helper: it is at work,
// whatever became of its other containers.
bool IsAtWork(const kubernetes::core::v1::Pod& pod);

// Whether an init container is at work: it may take as long as it likes.
bool InitRuns(const kubernetes::core::v1::Pod& pod);

// Since when a pod that has not started is starting; unknown without a time.
Seconds StartingSince(const kubernetes::core::v1::Pod& pod);

// The deciding container; null when there is none.
const kubernetes::core::v1::ContainerStatus* DecidingContainer(
    const kubernetes::core::v1::Pod& pod, const PodState& state);

// Its name; empty when there is none.
std::string_view ContainerName(const kubernetes::core::v1::Pod& pod,
                               const PodState& state);

// Reads init and main containers (never ephemeral ones) of pods[index] into
// `facts` and fills the container part of `state`. Rules: `state` before
// `lastState`, which counts only while the container waits for a restart or
// runs again; init containers fail a pod, sidecars do not; among several the
// first that ended by itself decides, and those killed after it are echoes.
void ReadContainers(const Context& context, int index, PodState& state,
                    Candidates& facts);

// Adds what the conditions of pods[index] say. A DisruptionTarget that is not
// True is stale and says nothing.
void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts);

// Adds taints, conditions and deletion of the node of pods[index], and devices
// of the pod that are unhealthy.
void ReadNodeOf(const Context& context, int index, const PodState& state,
                Candidates& facts);

// Adds the same of nodes[index], for reports without pods.
void ReadNode(const Context& context, int index, Candidates& facts);

// Whether pods[index] ran on spot or preemptible capacity, and which label
// says so.
bool FindSpotSign(const Context& context, int index, Place& place,
                  std::string_view& label);

// Adds what the events about pods[index] and about its node say. Events of a
// stage of life that the pod has left behind are history and say nothing.
void ReadEventsOfPod(const Context& context, int index, const PodState& state,
                     Candidates& facts);

// Adds what events about the workload's other objects say; for reports without
// a failing pod.
void ReadOtherEvents(const Context& context, Candidates& facts);

// Adds what events say about nodes and claims that nothing in the report
// connects with the workload.
void ReadSharedEvents(const Context& context, Candidates& facts);

// First and last occurrence, whichever form the event has.
Seconds FirstTime(const kubernetes::core::v1::Event& event);
Seconds LastTime(const kubernetes::core::v1::Event& event);

// Adds what Jobs, JobSet, RayJob, RayCluster, TrainJob, SparkApplication and
// kubeflow v1 job say.
void ReadOperators(const Context& context, Candidates& facts);

// Adds what the Kueue Workload says.
void ReadQueue(const Context& context, Candidates& facts);

// Adds what report.creation_error says.
void ReadCreationError(const Context& context, Candidates& facts);

// Adds what report.exit says; fills `exit_code` when there is one.
void ReadExit(const Context& context, Candidates& facts,
              std::optional<std::int32_t>& exit_code);

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

// The end in `status` that counts: `state` before `lastState`, which counts
// only while the container waits for its next start or runs again.
EndedContainer EndOfContainer(
    const kubernetes::core::v1::ContainerStatus& status);

// Whether the container of a pod that is being stopped ended before that, and
// its last run ends by it.
bool EndsByStopping(const kubernetes::core::v1::ContainerStatus& status);

// EndOfContainer of a pod that is stopped because the work was given up: the
// end before the one by that.
EndedContainer EndBefore(const kubernetes::core::v1::ContainerStatus& status);

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

// Adds reason, exit code and texts of `ended`, a container of pods[pod].
void ReadEndedContainer(const Context& context, int pod,
                        const EndedContainer& ended, Candidates& facts);

// Places in pods[pod].
Place StatusPlace(const EndedContainer& ended, int pod, const char* now,
                  const char* last);
Place ExitCodePlace(const EndedContainer& ended, int pod);
Place ReasonPlace(const EndedContainer& ended, int pod);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_READERS_H_
