// Pods that another one, or the object above them, makes anew while it runs.
#include <algorithm>
#include <string_view>

#include "policy/base/labels.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/readers/readers.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Pods that another one has made anew as long as it runs.
struct Following {
  const char* role;
  std::string_view follower;
  std::string_view leader;
  const char* group;
};

constexpr Following kFollowings[] = {
    // KubeRay 1.5, for the head.
    {"ray.io/node-type", "worker", "head", "ray.io/cluster"},
    // Spark 3, the driver itself.
    {"spark-role", "executor", "driver", "spark-app-selector"},
};

bool IsFollower(const core::Pod& pod) {
  return std::ranges::any_of(kFollowings, [&pod](const Following& kind) {
    return LabelOf(pod.metadata().labels(), kind.role) == kind.follower;
  });
}

// Whether the pod follows one of the report that runs.
bool LeaderRuns(const v1::FailureReport& report, int pod) {
  const auto& labels = report.pods(pod).metadata().labels();
  return std::ranges::any_of(kFollowings, [&](const Following& kind) {
    const std::string_view group = LabelOf(labels, kind.group);
    if (LabelOf(labels, kind.role) != kind.follower || group.empty()) {
      return false;
    }
    return std::ranges::any_of(report.pods(), [&](const core::Pod& other) {
      const auto& of_other = other.metadata().labels();
      return LabelOf(of_other, kind.role) == kind.leader &&
             LabelOf(of_other, kind.group) == group && PodRuns(other) &&
             !IsBeingStopped(other);
    });
  });
}

}  // namespace

bool OwnerGoesOn(const Context& context, int pod) {
  for (const WorkloadView& view : context.owners.views) {
    if (!view.kind->replaces_parts) continue;
    return view.phase == WorkloadPhase::kRuns &&
           IsFollower(context.report.pods(pod));
  }
  return LeaderRuns(context.report, pod);
}

}  // namespace mulligan::demystify
