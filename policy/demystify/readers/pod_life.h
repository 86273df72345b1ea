// The lifecycle of a pod by its own status.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_

#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/request/owners.h"

namespace mulligan::demystify {

// Seconds after which a pod that starts or ends is stuck.
inline constexpr Seconds kStuck = 600;

// Returns whether an owner deleted the pod for a reason of its own
// (Owners::cleans_up_since), so that its deletion and end are not a failure of
// the work. False for a pod that is marked for a disruption or ended before the
// reason arose.
bool IsCleanedUp(const Owners& owners, const kubernetes::core::v1::Pod& pod);

// Returns when kills in a pod that is cleaned up become part of the clean-up:
// when deletion was requested. After the containers end, the kubelet deletes
// the pod at once and the API server overwrites that time (Kubernetes 1.34).
// Then it is when the owner's reason arose, if known.
Seconds CleanUpBegan(const Owners& owners,
                     const kubernetes::core::v1::Pod& pod);

// Returns whether a container runs, and no main one has ended or waits.
bool PodRuns(const kubernetes::core::v1::Pod& pod);

// Returns whether a container that is not a helper runs, so that the pod is at
// work whatever happened to the others.
bool IsAtWork(const kubernetes::core::v1::Pod& pod);

// Returns whether an init container runs, which may take any time.
bool InitRuns(const kubernetes::core::v1::Pod& pod);

// Returns since when an unstarted pod has been starting, if known.
Seconds StartingSince(const kubernetes::core::v1::Pod& pod);

// Returns the deciding container; null if there is none.
const kubernetes::core::v1::ContainerStatus* DecidingContainer(
    const kubernetes::core::v1::Pod& pod, const PodState& state);

// Returns its name; empty if there is none.
std::string_view ContainerName(const kubernetes::core::v1::Pod& pod,
                               const PodState& state);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
