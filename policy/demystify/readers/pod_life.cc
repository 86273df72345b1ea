#include "policy/demystify/readers/pod_life.h"

#include <algorithm>
#include <string_view>

#include "policy/base/conditions.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/request/owner_graph.h"
#include "policy/request/owners.h"
#include "policy/request/pod_marks.h"

namespace mulligan::demystify {

namespace core = kubernetes::core::v1;

namespace {

// Returns whether its Job can only have failed because of the pod's deletion:
// it counts one failure, and no container of the pod had ended before.
bool IsOnlyFailureOfJob(const v1::FailureReport& report, const core::Pod& pod) {
  const auto* const owner = ControllerOf(pod.metadata());
  if (report.jobs_size() != 1 || report.pods_size() != 1 || owner == nullptr ||
      owner->uid() != report.jobs(0).metadata().uid()) {
    return false;
  }
  const auto& job = report.jobs(0);
  const bool counts =
      std::ranges::any_of(job.status().conditions(), [](const auto& condition) {
        return condition.reason() == "BackoffLimitExceeded";
      });
  return counts && job.status().failed() <= 1 &&
         job.spec().parallelism() <= 1 &&
         std::ranges::all_of(pod.status().container_statuses(),
                             [](const core::ContainerStatus& status) {
                               return status.restart_count() == 0;
                             });
}

}  // namespace

bool IsCleanedUp(const Owners& owners, const core::Pod& pod) {
  if (!owners.cleans_up_since || !IsDeleted(pod) ||
      IsTrue(pod.status().conditions(), "DisruptionTarget")) {
    return false;
  }
  const Seconds since = *owners.cleans_up_since;
  const Seconds requested = DeletionRequested(pod);
  if (requested >= since) return true;
  if (requested + kClockSkew < since ||
      IsOnlyFailureOfJob(owners.report, pod)) {
    return false;
  }
  // If the pod has ended, that shows which came first.
  return std::ranges::none_of(
      pod.status().container_statuses(),
      [since, requested](const core::ContainerStatus& status) {
        const Seconds end =
            ToSeconds(status.state().terminated().finished_at());
        return !Before(end, requested) && Before(end, since);
      });
}

Seconds CleanUpBegan(const Owners& owners, const core::Pod& pod) {
  const Seconds requested = DeletionRequested(pod);
  const Seconds since = owners.cleans_up_since.value_or(0);
  const bool overwritten = pod.metadata().deletion_grace_period_seconds() == 0;
  return overwritten && since > 0 ? std::min(requested, since) : requested;
}

bool PodRuns(const core::Pod& pod) {
  if (pod.status().phase() != "Running") return false;
  bool runs = false;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (IsHelper(pod, status.name())) continue;
    if (!status.state().has_running()) return false;
    runs = true;
  }
  return runs;
}

bool IsAtWork(const core::Pod& pod) {
  return pod.status().phase() == "Running" &&
         std::ranges::any_of(pod.status().container_statuses(),
                             [&pod](const core::ContainerStatus& status) {
                               return status.state().has_running() &&
                                      !IsHelper(pod, status.name());
                             });
}

bool InitRuns(const core::Pod& pod) {
  for (const core::ContainerStatus& status :
       pod.status().init_container_statuses()) {
    if (status.state().has_running()) return true;
  }
  return false;
}

Seconds StartingSince(const core::Pod& pod) {
  const Seconds start = ToSeconds(pod.status().start_time());
  return Known(start) ? start : ToSeconds(pod.metadata().creation_timestamp());
}

const core::ContainerStatus* DecidingContainer(const core::Pod& pod,
                                               const PodState& state) {
  const auto& statuses = state.init ? pod.status().init_container_statuses()
                                    : pod.status().container_statuses();
  if (state.container < 0 || state.container >= statuses.size()) return nullptr;
  return &statuses[state.container];
}

std::string_view ContainerName(const core::Pod& pod, const PodState& state) {
  const core::ContainerStatus* container = DecidingContainer(pod, state);
  return container == nullptr ? std::string_view() : container->name();
}

}  // namespace mulligan::demystify
