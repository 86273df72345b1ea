#include "policy/rules/signals.h"

#include <string_view>

#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

// The latest termination: the current state, or the previous one of a
// container that waits or runs again.
const core::ContainerStateTerminated* Termination(
    const core::ContainerStatus& status) {
  if (status.state().has_terminated()) return &status.state().terminated();
  if (status.last_state().has_terminated()) {
    return &status.last_state().terminated();
  }
  return nullptr;
}

bool ContainerReason(const core::ContainerStatus& status, TextPredicate fits) {
  if (const auto* ended = Termination(status);
      ended != nullptr && fits(ended->reason())) {
    return true;
  }
  return status.state().has_waiting() &&
         fits(status.state().waiting().reason());
}

bool ContainerMessage(const core::ContainerStatus& status, TextPredicate fits) {
  if (const auto* ended = Termination(status);
      ended != nullptr && fits(ended->message())) {
    return true;
  }
  return status.state().has_waiting() &&
         fits(status.state().waiting().message());
}

template <typename Fn>
bool AnyContainer(const core::Pod& pod, Fn fits) {
  for (const auto* statuses : {&pod.status().container_statuses(),
                               &pod.status().init_container_statuses(),
                               &pod.status().ephemeral_container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      if (fits(status)) return true;
    }
  }
  return false;
}

// Calls `fits` with every condition message of the report, as stored in its
// object, until it answers true. All condition types share these accessors.
template <typename Fn>
bool AnyRawCondition(const v1::FailureReport& report, Fn fits) {
  const auto any = [&fits](const auto& conditions) {
    for (const auto& condition : conditions) {
      if (fits(condition)) return true;
    }
    return false;
  };
  for (const auto& pod : report.pods()) {
    if (any(pod.status().conditions())) return true;
  }
  for (const auto& job : report.jobs()) {
    if (any(job.status().conditions())) return true;
  }
  for (const auto& node : report.nodes()) {
    if (any(node.status().conditions())) return true;
  }
  return any(report.job_set().status().conditions()) ||
         any(report.train_job().status().conditions()) ||
         any(report.kueue_workload().status().conditions()) ||
         any(report.kubeflow_job().status().conditions()) ||
         any(report.ray_job().status().ray_cluster_status().conditions()) ||
         any(report.ray_cluster().status().conditions());
}

}  // namespace

bool AnyReason(const v1::FailureReport& report, TextPredicate fits) {
  for (const core::Pod& pod : report.pods()) {
    if (fits(pod.status().reason())) return true;
    if (AnyContainer(pod, [&fits](const core::ContainerStatus& status) {
          return ContainerReason(status, fits);
        })) {
      return true;
    }
  }
  return fits(report.exit().reason()) ||
         fits(report.creation_error().reason()) ||
         fits(report.ray_job().status().reason()) ||
         AnyRawCondition(report, [&fits](const auto& condition) {
           return fits(condition.reason());
         });
}

bool AnyMessage(const v1::FailureReport& report, TextPredicate search) {
  const auto shown = [&search](std::string_view text) {
    return !text.empty() && search(text);
  };
  const TextPredicate fits = shown;
  for (const core::Pod& pod : report.pods()) {
    if (fits(pod.status().message())) return true;
    if (AnyContainer(pod, [&fits](const core::ContainerStatus& status) {
          return ContainerMessage(status, fits);
        })) {
      return true;
    }
  }
  for (const core::Event& event : report.events()) {
    if (fits(event.message())) return true;
  }
  return fits(report.exit().message()) ||
         fits(report.creation_error().message()) ||
         fits(report.ray_job().status().message()) ||
         fits(report.spark_application()
                  .status()
                  .application_state()
                  .error_message()) ||
         AnyRawCondition(report, [&fits](const auto& condition) {
           return fits(condition.message());
         });
}

bool AnyCondition(const v1::FailureReport& report, ConditionPredicate fits) {
  return AnyRawCondition(report, [&fits](const auto& condition) {
    return fits({condition.type(), condition.status(), condition.reason()});
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
