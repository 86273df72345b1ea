// Plain pods under Kueue, alone or as a group: when they are finished, which
// are replaced, and what an eviction leaves on them.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_POD_GROUP_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_POD_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "policy/native/kueue_jobs.h"
#include "policy/native/kueue_types.h"

namespace mulligan::kueue {

// Gate that keeps a pod until its workload is admitted.
inline constexpr std::string_view kAdmissionGate = "kueue.x-k8s.io/admission";
// Finalizer of pods Kueue accounts for.
inline constexpr std::string_view kManagedFinalizer = "kueue.x-k8s.io/managed";

struct PodGroup {
  // Number of pods of the group; absent: a single plain pod.
  std::optional<std::int64_t> total_count;
  std::vector<const Pod*> pods;
};

// A group succeeds when enough pods have, or when nothing is left to run and a
// pod is marked as not retriable; it never fails. A single pod ends as its
// phase says.
std::optional<JobEnd> EndOf(const PodGroup& group);

// Whether a pod runs, so that quota cannot be given back.
bool HoldsQuota(const PodGroup& group, absl::Time now);

// Pods missing from the group: failed ones, and deleted ones that never got a
// node, need replacement.
std::int64_t AbsentPods(const PodGroup& group);

// Failed pods whose replacement is there: their finalizer goes.
std::vector<const Pod*> ReplacedPods(const PodGroup& group);

// Sets WaitingForReplacementPods. While it is True it takes the reason of an
// eviction, and keeps it when the workload is admitted again. True: changed.
bool SetWaitingForReplacement(bool pods_absent, absl::Time now,
                              WorkloadStatus& status);

// What an eviction writes on each pod before deleting it: the condition and its
// event. Pods that are gated or already under deletion are left alone.
struct StoppedPod {
  const Pod* pod = nullptr;
  PodCondition condition;
  Event event;
};
std::vector<StoppedPod> StopPods(const PodGroup& group,
                                 const WorkloadStatus& status, absl::Time now);

// Pods that start now that the workload is admitted.
std::vector<const Pod*> PodsToStart(const PodGroup& group,
                                    const WorkloadStatus& status);

// Succeeded pods, whose quota is given back while the others run.
std::int64_t ReclaimablePods(const PodGroup& group);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_POD_GROUP_H_
