#include "policy/operators/job/pod_removal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "absl/time/time.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::job {
namespace {

int PhaseRank(const Pod& pod) {
  if (HasPhase(pod, "Running")) return 2;
  return HasPhase(pod, "Unknown") ? 1 : 0;
}

// Unset times count as the latest: such a pod has the least to lose.
absl::Time TimeOrLatest(const google::protobuf::Timestamp& time) {
  return IsZero(time) ? absl::InfiniteFuture() : TimeOf(time);
}

absl::Time ReadySince(const Pod& pod) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "Ready" && condition.status() == "True") {
      return TimeOrLatest(condition.last_transition_time());
    }
  }
  return absl::InfiniteFuture();
}

std::int32_t MostRestarts(const Pod& pod) {
  std::int32_t most = 0;
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    most = std::max(most, container.restart_count());
  }
  return most;
}

// Smaller is removed first.
auto RemovalRank(const Pod& pod) {
  return std::tuple(!pod.spec().node_name().empty(), PhaseRank(pod),
                    IsReady(pod), absl::UniversalEpoch() - ReadySince(pod),
                    -MostRestarts(pod),
                    absl::UniversalEpoch() -
                        TimeOrLatest(pod.metadata().creation_timestamp()));
}

bool GoesFirst(const Pod* a, const Pod* b) {
  return RemovalRank(*a) < RemovalRank(*b);
}

}  // namespace

Pods PodsForRemoval(const JobSpec& spec, const Pods& active,
                    std::size_t at_least) {
  Pods removed;
  Pods left;
  if (IsIndexed(spec)) {
    std::map<std::int64_t, Pods> by_index;
    for (const Pod* pod : active) {
      if (HasValidIndex(*pod, spec)) {
        by_index[*CompletionIndex(*pod)].push_back(pod);
      } else {
        removed.push_back(pod);
      }
    }
    for (auto& [index, pods] : by_index) {
      std::stable_sort(pods.begin(), pods.end(), GoesFirst);
      removed.insert(removed.end(), pods.begin(), pods.end() - 1);
      left.push_back(pods.back());
    }
  } else {
    left = active;
  }
  if (removed.size() < at_least) {
    std::stable_sort(left.begin(), left.end(), GoesFirst);
    const std::size_t more = std::min(at_least - removed.size(), left.size());
    removed.insert(removed.end(), left.begin(),
                   left.begin() + static_cast<std::ptrdiff_t>(more));
  }
  return removed;
}

}  // namespace mulligan::job
