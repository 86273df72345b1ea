#include "policy/rules/signals.h"

#include <algorithm>
#include <string_view>

#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/base/conditions.h"
#include "policy/request/workload_view.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

// Returns the latest termination: the current state, or the last one of a
// container that waits or runs; null if there is none.
const core::ContainerStateTerminated* Termination(
    const core::ContainerStatus& status) {
  if (status.state().has_terminated()) return &status.state().terminated();
  if (status.last_state().has_terminated()) {
    return &status.last_state().terminated();
  }
  return nullptr;
}

bool AnyContainer(const core::Pod& pod, const auto& fits) {
  for (const auto* statuses : {&pod.status().container_statuses(),
                               &pod.status().init_container_statuses(),
                               &pod.status().ephemeral_container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      if (fits(status)) return true;
    }
  }
  return false;
}

// Returns whether a `text` (reason or message) of a pod or its containers
// satisfies `fits`, in their latest terminations and waiting states.
bool AnyOfPods(const v1::FailureReport& report, const auto& text,
               TextPredicate fits) {
  for (const core::Pod& pod : report.pods()) {
    if (fits(text(pod.status()))) return true;
    if (AnyContainer(pod, [&](const core::ContainerStatus& status) {
          const auto* ended = Termination(status);
          return (ended != nullptr && fits(text(*ended))) ||
                 (status.state().has_waiting() &&
                  fits(text(status.state().waiting())));
        })) {
      return true;
    }
  }
  return false;
}

// Calls `fits` with every condition of the report until it returns true.
bool AnyRawCondition(const Owners& owners, const auto& fits) {
  const v1::FailureReport& report = owners.report;
  const auto any_object = [&fits](const auto& object) {
    return std::ranges::any_of(object.status().conditions(), fits);
  };
  return std::ranges::any_of(report.pods(), any_object) ||
         std::ranges::any_of(report.jobs(), any_object) ||
         std::ranges::any_of(report.nodes(), any_object) ||
         any_object(report.kueue_workload()) ||
         std::ranges::any_of(owners.views, [&fits](const WorkloadView& view) {
           return std::ranges::any_of(view.conditions, fits);
         });
}

// Returns whether a text of an object above the pods, other than a condition,
// satisfies `fits`.
bool AnyOfOwners(const Owners& owners, std::string_view WorkloadView::*text,
                 const auto& fits) {
  return std::ranges::any_of(owners.views, fits, text);
}

}  // namespace

bool AnyReason(const Owners& owners, TextPredicate fits) {
  const v1::FailureReport& report = owners.report;
  const auto reason = [](const auto& object) {
    return std::string_view(object.reason());
  };
  return AnyOfPods(report, reason, fits) || fits(report.exit().reason()) ||
         fits(report.creation_error().reason()) ||
         AnyOfOwners(owners, &WorkloadView::reason, fits) ||
         AnyRawCondition(owners, [&](const auto& condition) {
           return fits(condition.reason());
         });
}

bool AnyMessage(const Owners& owners, TextPredicate search) {
  const v1::FailureReport& report = owners.report;
  const auto message = [](const auto& object) {
    return std::string_view(object.message());
  };
  // Members of a gang often repeat the same message.
  std::string_view before;
  const auto fits = [&](std::string_view text) {
    if (text.empty() || text == before) return false;
    before = text;
    return search(text);
  };
  return AnyOfPods(report, message, fits) ||
         std::ranges::any_of(report.events(), fits, message) ||
         fits(report.exit().message()) ||
         fits(report.creation_error().message()) ||
         AnyOfOwners(owners, &WorkloadView::message, fits) ||
         AnyRawCondition(owners, [&](const auto& condition) {
           return fits(condition.message());
         });
}

bool AnyCondition(const Owners& owners, ConditionPredicate fits) {
  return AnyRawCondition(owners, [&](const auto& condition) {
    return fits(ConditionView(condition));
  });
}

bool AnyExitCode(const v1::FailureReport& report, std::string_view pod_name,
                 std::string_view container, ExitCodePredicate fits) {
  for (const core::Pod& pod : report.pods()) {
    if (!pod_name.empty() && pod.metadata().name() != pod_name) continue;
    for (const auto* statuses : {&pod.status().container_statuses(),
                                 &pod.status().init_container_statuses()}) {
      for (const core::ContainerStatus& status : *statuses) {
        if (!container.empty() && status.name() != container) continue;
        const auto* ended = Termination(status);
        if (ended != nullptr && fits(ended->exit_code())) return true;
      }
    }
  }
  return container.empty() && report.exit().has_exit_code() &&
         fits(report.exit().exit_code());
}

}  // namespace mulligan
