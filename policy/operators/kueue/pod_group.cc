#include "policy/operators/kueue/pod_group.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_format.h"
#include "policy/operators/job/pods.h"

namespace mulligan::kueue {
namespace {

using job::HasPhase;

bool HasEnded(const Pod& pod) {
  return HasPhase(pod, "Succeeded") || HasPhase(pod, "Failed");
}

bool IsUnretriable(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find("kueue.x-k8s.io/retriable-in-group");
  return found != annotations.end() && found->second == "false";
}

std::int64_t CountSucceeded(const PodGroup& group) {
  return std::count_if(
      group.pods.begin(), group.pods.end(),
      [](const Pod* pod) { return HasPhase(*pod, "Succeeded"); });
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

}  // namespace mulligan::kueue
