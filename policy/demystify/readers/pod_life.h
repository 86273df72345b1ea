// The lifecycle of a pod by its own status.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_

#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/request/owners.h"

namespace mulligan::demystify {

// Seconds after which a pod that is starting or terminating is stuck.
inline constexpr Seconds kStuck = 600;

// Returns whether an owner deleted the pod for its own reason
// (Owners::cleans_up_since), so that its deletion and end are not a failure of
// the work. False for a pod that is marked for a disruption or ended earlier.
bool IsCleanedUp(const Owners& owners, const kubernetes::core::v1::Pod& pod);

// Returns the time from which kills in a pod that is cleaned up belong to the
// clean-up: the request for deletion. The kubelet's own deletion, after the
// containers end, overwrites that time (Kubernetes 1.34). Then it is the time
// of the owner's reason, if known.
Seconds CleanUpBegan(const Owners& owners,
                     const kubernetes::core::v1::Pod& pod);

// Returns whether a container runs, and no main one has ended or waits.
bool PodRuns(const kubernetes::core::v1::Pod& pod);

// Returns whether a container that is not a helper runs, even if others ended.
bool IsAtWork(const kubernetes::core::v1::Pod& pod);

// Returns whether an init container runs, for which there is no time limit.
bool InitRuns(const kubernetes::core::v1::Pod& pod);

// Returns since when an unstarted pod has been starting, if known.
Seconds StartingSince(const kubernetes::core::v1::Pod& pod);

// Returns the deciding container, or null.
const kubernetes::core::v1::ContainerStatus* DecidingContainer(
    const kubernetes::core::v1::Pod& pod, const PodState& state);

// Returns the deciding container's name, or "".
std::string_view ContainerName(const kubernetes::core::v1::Pod& pod,
                               const PodState& state);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
