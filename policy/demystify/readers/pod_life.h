// What a pod's own status says of its life.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_

#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/request/owners.h"

namespace mulligan::demystify {

// A pod that starts or ends for longer than this is stuck.
inline constexpr Seconds kStuck = 600;

// Whether the pod is deleted because what stands above it has a reason for that
// (Owners::cleans_up_since): nothing about its deletion, or how it ended by it,
// is a failure of the work. One that is marked for a disruption, or had ended
// before there was a reason, is not.
bool IsCleanedUp(const Owners& owners, const kubernetes::core::v1::Pod& pod);

// From when on a kill in a pod that is cleaned up is the clean-up's: its
// deletion was asked for. Once the containers have ended the kubelet deletes
// the pod at once, and the API server overwrites that moment (Kubernetes 1.34):
// then since its owner had a reason, where that is known.
Seconds CleanUpBegan(const Owners& owners,
                     const kubernetes::core::v1::Pod& pod);

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

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_POD_LIFE_H_
