#include "policy/native/rayjob/decision.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/base/times.h"
#include "policy/native/objects.h"

namespace mulligan::rayjob {
namespace {

using ::google::protobuf::Timestamp;

// Whether the pass reaches the retry gate and the write.
enum class Next { kStays, kIsWritten };

// The handler of a state. Changes the status.
using Step = Next (*)(const Observed& observed, RayJobStatus& status);

Next SetState(std::string_view state, RayJobStatus& status) {
  status.set_job_deployment_status(std::string(state));
  return Next::kIsWritten;
}

// Ends the attempt; the gate decides whether there is another.
Next End(std::string_view state, std::string_view reason, std::string message,
         RayJobStatus& status) {
  status.set_reason(std::string(reason));
  status.set_message(std::move(message));
  return SetState(state, status);
}

// The five clocks of a RayJob. Each check ends the attempt, and returns true,
// once its time has passed.

bool IsPast(const Timestamp& start, std::int64_t seconds,
            const Timestamp& now) {
  return ToTime(now) >= ToTime(start) + absl::Seconds(seconds);
}

// Prints a time as Go does in UTC, but without the zone.
std::string DateTime(const Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", ToTime(time),
                          absl::UTCTimeZone());
}

// Checks a time limit since the start of the attempt. Without a start time
// nothing ends, although KubeRay would crash. `field` and `go_field` appear in
// the message.
bool CheckDeadline(std::int32_t seconds, std::string_view reason,
                   std::string_view field, std::string_view go_field,
                   const Observed& observed, RayJobStatus& status) {
  if (!status.has_start_time() ||
      !IsPast(status.start_time(), seconds, observed.now)) {
    return false;
  }
  End(kFailed, reason,
      absl::StrFormat(
          "The RayJob has passed the %s. StartTime: %s +0000 UTC. %s: %d",
          field, DateTime(status.start_time()), go_field, seconds),
      status);
  return true;
}

bool CheckActiveDeadline(const Observed& observed, RayJobStatus& status) {
  const RayJobSpec& spec = observed.job().spec();
  return spec.has_active_deadline_seconds() &&
         CheckDeadline(spec.active_deadline_seconds(), kDeadlineExceeded,
                       "activeDeadlineSeconds", "ActiveDeadlineSeconds",
                       observed, status);
}

bool CheckPreRunningDeadline(const Observed& observed, RayJobStatus& status) {
  const RayJobSpec& spec = observed.job().spec();
  return observed.settings.pre_running_deadline &&
         spec.has_pre_running_deadline_seconds() &&
         CheckDeadline(spec.pre_running_deadline_seconds(),
                       kPreRunningDeadlineExceeded, "preRunningDeadlineSeconds",
                       "PreRunningDeadlineSeconds", observed, status);
}

// Ray's status is terminal, the operator's still Running, and the grace period
// since Ray's end is over.
bool CheckTransitionGracePeriod(const Observed& observed,
                                RayJobStatus& status) {
  const Settings& settings = observed.settings;
  if (!settings.transition_grace_period ||
      !IsJobTerminal(status.job_status()) ||
      !status.ray_job_info().has_end_time() ||
      !IsPast(status.ray_job_info().end_time(),
              settings.transition_grace_period_seconds, observed.now)) {
    return false;
  }
  End(status.job_status() == kJobFailed ? kFailed : kComplete,
      kGracePeriodExceeded,
      "JobDeploymentStatus does not transition to Complete or Failed within "
      "the grace period after JobStatus reaches a terminal state.",
      status);
  return true;
}

// The dashboard has not answered since jobStatusCheckFailureStartTime.
bool CheckStatusCheckTimeout(const Observed& observed, RayJobStatus& status) {
  const std::int64_t seconds = observed.settings.status_check_timeout_seconds;
  const Timestamp& since = status.job_status_check_failure_start_time();
  if (!observed.settings.status_check_timeout ||
      !status.has_job_status_check_failure_start_time() ||
      !IsPast(since, seconds, observed.now)) {
    return false;
  }
  End(kFailed, kStatusCheckTimeoutExceeded,
      absl::StrFormat("Job status checks have been failing since %s; exceeded "
                      "timeout of %ds",
                      DateTime(since), seconds),
      status);
  return true;
}

// The submitter ended, but Ray has not reported an end.
bool CheckSubmitterFinishedTimeout(const std::optional<Timestamp>& finished_at,
                                   const Observed& observed,
                                   RayJobStatus& status) {
  if (!observed.settings.submitter_finished_timeout ||
      !finished_at.has_value() ||
      !IsPast(*finished_at, kSubmitterFinishedTimeoutSeconds, observed.now)) {
    return false;
  }
  status.set_job_status(std::string(kJobFailed));
  End(kFailed, kGracePeriodExceeded,
      absl::StrFormat("The RayJob submitter finished at %s but the ray job did "
                      "not reach terminal state within %ds",
                      DateTime(*finished_at), kSubmitterFinishedTimeoutSeconds),
      status);
  return true;
}

// The handlers, one for each state.

// KubeRay never creates a selected cluster.
bool IsSelectedClusterMissing(const Observed& observed) {
  return !observed.reported.cluster.has_value() &&
         !observed.job().spec().cluster_selector().empty();
}

Next Start(const Observed& observed, RayJobStatus& status) {
  *status.mutable_start_time() = observed.now;
  return SetState(kInitializing, status);
}

Next Initialize(const Observed& observed, RayJobStatus& status) {
  const RayJobSpec& spec = observed.job().spec();
  if (spec.suspend()) return SetState(kSuspending, status);
  if (CheckActiveDeadline(observed, status) ||
      CheckPreRunningDeadline(observed, status)) {
    return Next::kIsWritten;
  }
  if (IsSelectedClusterMissing(observed)) return Next::kStays;
  const auto& cluster = observed.reported.cluster;
  const bool is_ready =
      cluster.has_value() && cluster->status().state() == kClusterReady;
  if (status.dashboard_url().empty() && !is_ready) return Next::kStays;
  const bool interactive = SubmissionModeOf(spec) == kInteractiveMode;
  return SetState(interactive ? kWaiting : kRunning, status);
}

Next Wait(const Observed& observed, RayJobStatus& status) {
  if (CheckPreRunningDeadline(observed, status)) return Next::kIsWritten;
  return observed.job().spec().job_id().empty() ? Next::kStays
                                                : SetState(kRunning, status);
}

// Returns whether a submitter (Job or container) runs the application.
bool HasSubmitter(const RayJobSpec& spec) {
  const std::string_view mode = SubmissionModeOf(spec);
  return mode == kK8sJobMode || mode == kSidecarMode;
}

Next AskRay(const Observed& observed, bool submitter_finished,
            RayJobStatus& status) {
  // The dashboard does not answer.
  if (status.has_job_status_check_failure_start_time()) {
    return Next::kIsWritten;
  }
  if (const auto& cluster = observed.reported.cluster; cluster.has_value()) {
    *status.mutable_ray_cluster_status() = cluster->status();
  }
  status.clear_reason();
  if (!submitter_finished || !IsJobTerminal(status.job_status())) {
    return Next::kIsWritten;
  }
  return status.job_status() == kJobFailed
             ? End(kFailed, kAppFailed, status.message(), status)
             : SetState(kComplete, status);
}

// Returns nothing if the submitter is gone or does not exist yet.
std::optional<SubmitterState> StateOfSubmitter(const Observed& observed) {
  const ReportedRayJob& found = observed.reported;
  if (SubmissionModeOf(found.job.spec()) == kK8sJobMode) {
    if (!found.submitter.has_value()) return std::nullopt;
    return StateOfSubmitterJob(*found.submitter);
  }
  if (observed.head_is_gone) return std::nullopt;
  if (found.head == nullptr) return SubmitterState();
  return StateOfSubmitterContainer(found.job.spec(), *found.head,
                                   observed.settings);
}

Next Follow(const Observed& observed, RayJobStatus& status) {
  const RayJobSpec& spec = observed.job().spec();
  if (spec.suspend()) return SetState(kSuspending, status);
  if (CheckActiveDeadline(observed, status) ||
      CheckTransitionGracePeriod(observed, status) ||
      CheckStatusCheckTimeout(observed, status)) {
    return Next::kIsWritten;
  }
  if (IsSelectedClusterMissing(observed)) return Next::kStays;
  if (!HasSubmitter(spec)) return AskRay(observed, true, status);
  const std::optional<SubmitterState> submitter = StateOfSubmitter(observed);
  if (!submitter.has_value()) {
    return SubmissionModeOf(spec) == kSidecarMode
               ? End(kFailed, kAppFailed, "Ray head pod not found.", status)
               : Next::kStays;
  }
  if (submitter->failed && status.job_status() == kJobFailed) {
    End(kFailed, kAppFailed, status.message(), status);
  } else if (submitter->failed) {
    End(kFailed, kSubmissionFailed, submitter->message, status);
  }
  // Also after a failure, whose reason it overwrites.
  if (CheckSubmitterFinishedTimeout(submitter->finished_at, observed, status)) {
    return Next::kIsWritten;
  }
  return submitter->failed
             ? Next::kIsWritten
             : AskRay(observed, submitter->finished_at.has_value(), status);
}

// Ignores spec.suspend, because a started teardown is completed. A selected
// cluster is not the RayJob's to delete.
Next TearDown(const Observed& observed, RayJobStatus& status) {
  const bool own_cluster = observed.reported.cluster.has_value() &&
                           observed.job().spec().cluster_selector().empty();
  if (own_cluster || observed.reported.submitter.has_value()) {
    return Next::kStays;
  }
  const bool retry = status.job_deployment_status() == kRetrying;
  status.clear_message();
  status.clear_reason();
  status.clear_job_status();
  return SetState(retry ? kNew : kSuspended, status);
}

Next Resume(const Observed& observed, RayJobStatus& status) {
  if (observed.job().spec().suspend()) return Next::kStays;
  status.clear_job_status();
  return SetState(kNew, status);
}

struct StateRow {
  std::string_view state;
  Step step;
};

// States without a row, such as ValidationFailed, are final.
constexpr std::array<StateRow, 7> kStates = {{
    {kNew, Start},
    {kInitializing, Initialize},
    {kWaiting, Wait},
    {kRunning, Follow},
    {kSuspending, TearDown},
    {kRetrying, TearDown},
    {kSuspended, Resume},
}};

Next TakeStep(const Observed& observed, RayJobStatus& status) {
  const StateRow* const row = FindIn(kStates, [&](const StateRow& each) {
    return each.state == status.job_deployment_status();
  });
  return row == nullptr ? Next::kStays : row->step(observed, status);
}

// A change of message or reason alone is not stored.
bool IsStored(const RayJobStatus& before, const RayJobStatus& after) {
  if (before.job_status() != after.job_status() ||
      before.job_deployment_status() != after.job_deployment_status()) {
    return true;
  }
  RayClusterStatus old_cluster = before.ray_cluster_status();
  RayClusterStatus new_cluster = after.ray_cluster_status();
  old_cluster.clear_last_update_time();
  new_cluster.clear_last_update_time();
  return !google::protobuf::util::MessageDifferencer::Equals(old_cluster,
                                                             new_cluster);
}

// Wraps around as KubeRay's 32-bit sums: a backoffLimit of 2147483647 is never
// above any count.
std::int32_t OneMore(std::int64_t number) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) + 1));
}

}  // namespace

RayJobStatus StatusAfterPass(const Observed& observed) {
  const RayJobStatus& before = observed.job().status();
  RayJobStatus after = before;
  if (!observed.refusals.empty()) {
    if (!observed.settings.validation_failed) return before;
    End(kValidationFailed, kValidationFailed, observed.refusals.front().detail,
        after);
  } else {
    if (TakeStep(observed, after) == Next::kStays) return before;
    ApplyRetryGate(observed.job().spec(), observed.settings, after);
  }
  return IsStored(before, after) ? after : before;
}

bool IsLeftAlone(const RayJob& job) {
  return (job.spec().has_managed_by() &&
          job.spec().managed_by() != kOwnManager) ||
         job.metadata().has_deletion_timestamp();
}

bool IsNeverRetried(std::string_view reason, const Settings& settings) {
  return reason == kDeadlineExceeded || (settings.status_check_timeout &&
                                         reason == kStatusCheckTimeoutExceeded);
}

std::int64_t BackoffLimitOf(const RayJobSpec& spec, const Settings& settings) {
  return settings.backoff_limit ? spec.backoff_limit() : 0;
}

void ApplyRetryGate(const RayJobSpec& spec, const Settings& settings,
                    RayJobStatus& status) {
  if (status.job_deployment_status() == kComplete &&
      status.job_status() == kJobSucceeded) {
    status.set_succeeded(OneMore(status.succeeded()));
  }
  if (status.job_deployment_status() != kFailed) return;
  status.set_failed(OneMore(status.failed()));
  if (spec.has_backoff_limit() &&
      status.failed() < OneMore(BackoffLimitOf(spec, settings)) &&
      !IsNeverRetried(status.reason(), settings)) {
    SetState(kRetrying, status);
  }
}

}  // namespace mulligan::rayjob
