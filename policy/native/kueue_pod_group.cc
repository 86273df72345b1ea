#include "policy/native/kueue_pod_group.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/native/kubernetes_pods.h"
#include "policy/native/kueue_conditions.h"
#include "policy/times.h"

namespace mulligan::kueue {
namespace {

using kubernetes_job::HasPhase;
using kubernetes_job::IsBeingDeleted;

bool HasEnded(const Pod& pod) {
  return HasPhase(pod, "Succeeded") || HasPhase(pod, "Failed");
}

bool IsUnretriable(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find("kueue.x-k8s.io/retriable-in-group");
  return found != annotations.end() && found->second == "false";
}

// Runs, may run or has succeeded.
bool IsUsable(const Pod& pod) {
  if (IsBeingDeleted(pod) && pod.spec().node_name().empty()) return false;
  return !HasPhase(pod, "Failed");
}

bool IsGated(const Pod& pod) {
  const auto& gates = pod.spec().scheduling_gates();
  return std::any_of(gates.begin(), gates.end(), [](const auto& gate) {
    return gate.name() == kAdmissionGate;
  });
}

std::int64_t CountSucceeded(const PodGroup& group) {
  return std::count_if(
      group.pods.begin(), group.pods.end(),
      [](const Pod* pod) { return HasPhase(*pod, "Succeeded"); });
}

template <typename Predicate>
std::vector<const Pod*> Pick(const PodGroup& group, Predicate wanted) {
  std::vector<const Pod*> picked;
  for (const Pod* const pod : group.pods) {
    if (wanted(*pod)) picked.push_back(pod);
  }
  return picked;
}

// Time at which an unusable pod stopped being of use: its deletion, or the
// containers' end; `InfiniteFuture` when neither is known.
absl::Time LastUse(const Pod& pod) {
  absl::Time last = absl::InfiniteFuture();
  for (const PodCondition& condition : pod.status().conditions()) {
    if (condition.type() == "ContainersReady" &&
        condition.status() == "False" && condition.reason() == "PodFailed") {
      last = ToTime(condition.last_transition_time());
    }
  }
  if (!IsBeingDeleted(pod)) return last;
  return std::min(last, ToTime(pod.metadata().deletion_timestamp()));
}

bool HasFinalizer(const Pod& pod) {
  const auto& finalizers = pod.metadata().finalizers();
  return std::find(finalizers.begin(), finalizers.end(), kManagedFinalizer) !=
         finalizers.end();
}

// Whom to keep for longer: with a finalizer, of use until later, older.
bool IsKeptLonger(const Pod* a, const Pod* b) {
  if (HasFinalizer(*a) != HasFinalizer(*b)) return HasFinalizer(*a);
  const absl::Time last_a = LastUse(*a);
  const absl::Time last_b = LastUse(*b);
  if (last_a != last_b) return last_b < last_a;
  return ToTime(a->metadata().creation_timestamp()) <
         ToTime(b->metadata().creation_timestamp());
}

}  // namespace

std::optional<JobEnd> EndOf(const PodGroup& group) {
  if (!group.total_count.has_value()) {
    return group.pods.empty() ? std::nullopt : EndOf(*group.pods.front());
  }
  const std::int64_t succeeded = CountSucceeded(group);
  const bool runs = std::any_of(group.pods.begin(), group.pods.end(),
                                [](const Pod* pod) { return !HasEnded(*pod); });
  const bool unretriable =
      std::any_of(group.pods.begin(), group.pods.end(),
                  [](const Pod* pod) { return IsUnretriable(*pod); });
  if (succeeded != *group.total_count && (runs || !unretriable)) {
    return std::nullopt;
  }
  return JobEnd{true, absl::StrFormat("Pods succeeded: %d/%d.", succeeded,
                                      *group.total_count)};
}

bool HoldsQuota(const PodGroup& group, absl::Time now) {
  return std::any_of(group.pods.begin(), group.pods.end(), [&](const Pod* pod) {
    if (!HasPhase(*pod, "Running")) return false;
    // A pod past its grace period hangs and is not waited for.
    return !IsBeingDeleted(*pod) ||
           now < ToTime(pod->metadata().deletion_timestamp());
  });
}

std::int64_t AbsentPods(const PodGroup& group) {
  const std::int64_t usable =
      std::count_if(group.pods.begin(), group.pods.end(),
                    [](const Pod* pod) { return IsUsable(*pod); });
  return std::max<std::int64_t>(0, group.total_count.value_or(usable) - usable);
}

std::vector<const Pod*> ReplacedPods(const PodGroup& group) {
  if (!group.total_count.has_value()) return {};
  std::vector<const Pod*> unusable =
      Pick(group, [](const Pod& pod) { return !IsUsable(pod); });
  const auto count = static_cast<std::int64_t>(unusable.size());
  const auto all = static_cast<std::int64_t>(group.pods.size());
  const std::int64_t replaced =
      std::clamp<std::int64_t>(all - *group.total_count, 0, count);
  std::stable_sort(unusable.begin(), unusable.end(), IsKeptLonger);
  unusable.erase(
      unusable.begin(),
      unusable.begin() + static_cast<std::ptrdiff_t>(count - replaced));
  return unusable;
}

bool SetWaitingForReplacement(bool pods_absent, absl::Time now,
                              WorkloadStatus& status) {
  auto& conditions = *status.mutable_conditions();
  const Condition* const waiting =
      FindCondition(conditions, kWaitingForReplacementPods);
  const auto set = [&](bool value, std::string_view reason,
                       std::string_view message) {
    return SetCondition(kWaitingForReplacementPods, value, reason, message, now,
                        conditions);
  };
  if (!pods_absent) {
    return waiting != nullptr && waiting->status() != "False" &&
           set(false, kPodsReady, "No pods need replacement");
  }
  if (IsEvicted(status)) {
    const Condition evicted = *FindCondition(conditions, kEvicted);
    return set(true, evicted.reason(), evicted.message());
  }
  return (waiting == nullptr || waiting->status() != "True") &&
         set(true, "PodsFailed", "Some Failed pods need replacement");
}

std::vector<StoppedPod> StopPods(const PodGroup& group,
                                 const WorkloadStatus& status, absl::Time now) {
  std::vector<StoppedPod> stopped;
  if (!IsEvicted(status)) return stopped;
  const Condition& evicted = *FindCondition(status.conditions(), kEvicted);
  for (const Pod* const pod : group.pods) {
    if (IsBeingDeleted(*pod) || IsGated(*pod) || HasEnded(*pod)) continue;
    StoppedPod& added = stopped.emplace_back();
    added.pod = pod;
    added.condition.set_type("TerminationTarget");
    added.condition.set_status("True");
    added.condition.set_reason("WorkloadEvictedDueTo" + evicted.reason());
    added.condition.set_message(evicted.message());
    SetTime(now, *added.condition.mutable_last_transition_time());
    added.event = {std::string(kNormalEvent), "Stopped",
                   EventMessage(evicted.message())};
  }
  return stopped;
}

std::vector<const Pod*> PodsToStart(const PodGroup& group,
                                    const WorkloadStatus& status) {
  if (!IsAdmitted(status) || IsEvicted(status)) return {};
  return Pick(group, [](const Pod& pod) {
    return IsGated(pod) && !HasEnded(pod) && !IsBeingDeleted(pod);
  });
}

std::int64_t ReclaimablePods(const PodGroup& group) {
  return group.total_count.has_value() ? CountSucceeded(group) : 0;
}

}  // namespace mulligan::kueue
