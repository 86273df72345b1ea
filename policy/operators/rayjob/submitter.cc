#include "policy/operators/rayjob/submitter.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"

namespace mulligan::rayjob {
namespace {

constexpr std::int64_t kDefaultSubmitterBackoffLimit = 2;
constexpr std::string_view kTrue = "True";

}  // namespace

std::int64_t SubmitterBackoffLimit(const RayJobSpec& spec) {
  return spec.submitter_config().has_backoff_limit()
             ? spec.submitter_config().backoff_limit()
             : kDefaultSubmitterBackoffLimit;
}

bool IsRestartCountExceeded(const ContainerStatus& submitter,
                            std::int64_t limit) {
  const bool ended_well = submitter.state().has_terminated() &&
                          submitter.state().terminated().exit_code() == 0;
  return !ended_well && submitter.restart_count() >= limit;
}

const ContainerStatus* SubmitterContainer(const Pod& head_pod) {
  for (const ContainerStatus& container :
       head_pod.status().container_statuses()) {
    if (container.name() == kSubmitterContainerName) return &container;
  }
  return nullptr;
}

SubmitterState StateOfSubmitterJob(const Job& job) {
  SubmitterState state;
  for (const auto& condition : job.status().conditions()) {
    const bool failed = condition.type() == kFailed;
    if (condition.status() != kTrue ||
        (!failed && condition.type() != kComplete)) {
      continue;
    }
    if (failed && !state.failed) {
      state.failed = true;
      state.message =
          absl::StrFormat("Job submission has failed. Reason: %s. Message: %s",
                          condition.reason(), condition.message());
    }
    const auto& ended = condition.last_transition_time();
    if (!state.finished_at.has_value() &&
        condition.has_last_transition_time() && !IsZeroTime(ended)) {
      state.finished_at = ended;
    }
  }
  return state;
}

SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings) {
  SubmitterState state;
  const ContainerStatus* const container = SubmitterContainer(head_pod);
  if (container == nullptr) return state;
  const bool terminated = container->state().has_terminated();
  const auto& end = terminated ? container->state().terminated()
                               : container->last_state().terminated();
  state.failed =
      settings.sidecar_submitter_restart
          ? IsRestartCountExceeded(*container, SubmitterBackoffLimit(spec))
          : terminated && end.exit_code() != 0;
  if (state.failed && settings.sidecar_submitter_restart) {
    state.message = absl::StrFormat(
        "Ray head pod submitter container %s terminated after exceeding the "
        "maximum restart count",
        container->name());
  } else if (state.failed) {
    state.message = absl::StrFormat(
        "Ray head pod container %s terminated with exit code %d: %s",
        container->name(), end.exit_code(), end.reason());
  }
  if (terminated) state.finished_at = end.finished_at();
  return state;
}

void FailForSubmitter(const SubmitterState& submitter, RayJobStatus& status) {
  status.set_job_deployment_status(std::string(kFailed));
  if (status.job_status() == kJobFailed) {
    status.set_reason(std::string(kAppFailed));
    return;
  }
  status.set_reason(std::string(kSubmissionFailed));
  status.set_message(submitter.message);
}

}  // namespace mulligan::rayjob
