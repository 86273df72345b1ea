#include "policy/operators/flyte/pod.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/flyte/pending.h"
#include "policy/operators/flyte/terminated.h"

namespace mulligan::flyte {
namespace {

using ContainerStatuses = google::protobuf::RepeatedPtrField<ContainerStatus>;

// Also true when nothing is known of a container.
bool HaveSucceeded(const ContainerStatuses& statuses) {
  return std::all_of(
      statuses.begin(), statuses.end(), [](const ContainerStatus& status) {
        const auto& state = status.state();
        return !state.has_waiting() && !state.has_running() &&
               (!state.has_terminated() || state.terminated().exit_code() == 0);
      });
}

bool HasContainer(const Pod& pod, std::string_view name) {
  const auto& containers = pod.spec().containers();
  return std::any_of(
      containers.begin(), containers.end(),
      [&](const auto& container) { return container.name() == name; });
}

PhaseInfo RunningPodPhase(const Pod& pod, const Rules& rules) {
  const PodStatus& status = pod.status();
  const auto& annotations = pod.metadata().annotations();
  const auto primary = annotations.find(std::string(kPrimaryContainerKey));
  if (primary == annotations.end()) {
    const bool done = !status.container_statuses().empty() &&
                      HaveSucceeded(status.container_statuses()) &&
                      HaveSucceeded(status.init_container_statuses());
    return done ? DemystifySuccess(status) : InPhase(Phase::kRunning);
  }
  PhaseInfo info = DeterminePrimaryContainerPhase(
      primary->second, status.container_statuses(), rules);
  if (info.phase == Phase::kPermanentFailure &&
      info.error->code == kPrimaryContainerNotFound &&
      HasContainer(pod, primary->second)) {
    return InPhase(Phase::kRunning);
  }
  return info;
}

std::string_view PrimaryContainerOf(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find(std::string(kPrimaryContainerKey));
  return found == annotations.end() ? std::string_view()
                                    : std::string_view(found->second);
}

}  // namespace

PhaseInfo PodPhase(const Pod& pod, const Settings& settings, absl::Time now) {
  const PodStatus& status = pod.status();
  const std::string_view phase = status.phase();
  if (phase == "Succeeded") return DemystifySuccess(status);
  if (phase == "Failed") {
    return DemystifyFailure(status, PrimaryContainerOf(pod), settings.rules);
  }
  if (phase == "Pending") return DemystifyPending(status, settings, now);
  // A reason, and no phase that Kubernetes writes.
  if (phase == "Unschedulable") {
    return InPhase(Phase::kQueued, "pod unschedulable");
  }
  if (phase == "Unknown" && settings.rules.waits_for_unknown_pods) {
    return InPhase(Phase::kUndefined);
  }
  return RunningPodPhase(pod, settings.rules);
}

PhaseInfo FailedOrPendingPodPhase(const Pods& pods,
                                  std::string_view pod_namespace,
                                  std::string_view name,
                                  std::string_view container,
                                  const Settings& settings, absl::Time now) {
  for (const Pod* const pod : pods) {
    const bool elsewhere = !pod_namespace.empty() &&
                           !pod->metadata().namespace_().empty() &&
                           pod->metadata().namespace_() != pod_namespace;
    if (pod->metadata().name() != name || elsewhere) continue;
    if (pod->status().phase() == "Failed") {
      return DemystifyFailure(pod->status(), container, settings.rules);
    }
    if (pod->status().phase() == "Pending") {
      return DemystifyPending(pod->status(), settings, now);
    }
  }
  return InPhase(Phase::kUndefined);
}

}  // namespace mulligan::flyte
