#include "policy/operators/rayjob/submitter.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"

namespace mulligan::rayjob {
namespace {

constexpr std::int64_t kDefaultSubmitterBackoffLimit = 2;

// Whether a restarting submitter has used up its restarts. One that just ended
// well has not.
bool IsRestartCountExceeded(const ContainerStatus& submitter,
                            const RayJobSpec& spec) {
  const bool ended_well = submitter.state().has_terminated() &&
                          submitter.state().terminated().exit_code() == 0;
  const std::int64_t limit = spec.submitter_config().has_backoff_limit()
                                 ? spec.submitter_config().backoff_limit()
                                 : kDefaultSubmitterBackoffLimit;
  return !ended_well && submitter.restart_count() >= limit;
}

}  // namespace

SubmitterState StateOfSubmitterJob(const Job& job) {
  SubmitterState state;
  for (const auto& condition : job.status().conditions()) {
    const bool failed = condition.type() == kFailed;
    if (condition.status() != "True" ||
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
    if (!state.finished_at.has_value() && !IsZeroTime(ended)) {
      state.finished_at = ended;
    }
  }
  return state;
}

SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings) {
  SubmitterState state;
  const auto& containers = head_pod.status().container_statuses();
  const auto container = std::find_if(
      containers.begin(), containers.end(),
      [](const auto& status) { return status.name() == "ray-job-submitter"; });
  if (container == containers.end()) return state;
  const bool terminated = container->state().has_terminated();
  const auto& end = container->state().terminated();
  if (terminated) state.finished_at = end.finished_at();
  if (settings.sidecar_submitter_restart) {
    state.failed = IsRestartCountExceeded(*container, spec);
    state.message = absl::StrFormat(
        "Ray head pod submitter container %s terminated after exceeding the "
        "maximum restart count",
        container->name());
  } else {
    state.failed = terminated && end.exit_code() != 0;
    state.message = absl::StrFormat(
        "Ray head pod container %s terminated with exit code %d: %s",
        container->name(), end.exit_code(), end.reason());
  }
  return state;
}

}  // namespace mulligan::rayjob
