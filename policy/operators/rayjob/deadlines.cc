#include "policy/operators/rayjob/deadlines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"

namespace mulligan::rayjob {
namespace {

bool IsPast(const Timestamp& start, std::int64_t seconds,
            const Timestamp& now) {
  return ToTime(now) >= ToTime(start) + absl::Seconds(seconds);
}

std::string DateTime(const Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", ToTime(time),
                          absl::UTCTimeZone());
}

// As Go prints a time in an operator whose zone is UTC.
std::string GoTime(const Timestamp& time) {
  return DateTime(time) + " +0000 UTC";
}

void End(std::string_view state, std::string_view reason, std::string message,
         RayJobStatus& status) {
  status.set_job_deployment_status(std::string(state));
  status.set_reason(std::string(reason));
  status.set_message(std::move(message));
}

// A time since the start of the attempt.
struct Deadline {
  std::string_view reason;
  // As the message has it: in JSON and in Go.
  std::string_view field;
  std::string_view go_field;
  std::int32_t seconds;
};

bool CheckDeadline(const Deadline& deadline, const Timestamp& now,
                   RayJobStatus& status) {
  if (!status.has_start_time() ||
      !IsPast(status.start_time(), deadline.seconds, now)) {
    return false;
  }
  End(kFailed, deadline.reason,
      absl::StrFormat("The RayJob has passed the %s. StartTime: %s. %s: %d",
                      deadline.field, GoTime(status.start_time()),
                      deadline.go_field, deadline.seconds),
      status);
  return true;
}

}  // namespace

bool CheckActiveDeadline(const RayJobSpec& spec, const Timestamp& now,
                         RayJobStatus& status) {
  return spec.has_active_deadline_seconds() &&
         CheckDeadline(
             {kDeadlineExceeded, "activeDeadlineSeconds",
              "ActiveDeadlineSeconds", spec.active_deadline_seconds()},
             now, status);
}

bool CheckPreRunningDeadline(const RayJobSpec& spec, const Settings& settings,
                             const Timestamp& now, RayJobStatus& status) {
  return settings.pre_running_deadline &&
         spec.has_pre_running_deadline_seconds() &&
         CheckDeadline(
             {kPreRunningDeadlineExceeded, "preRunningDeadlineSeconds",
              "PreRunningDeadlineSeconds", spec.pre_running_deadline_seconds()},
             now, status);
}

bool CheckTransitionGracePeriod(const Settings& settings, const Timestamp& now,
                                RayJobStatus& status) {
  if (!settings.transition_grace_period ||
      !IsJobTerminal(status.job_status()) ||
      status.job_deployment_status() != kRunning ||
      !status.ray_job_info().has_end_time() ||
      !IsPast(status.ray_job_info().end_time(),
              settings.transition_grace_period_seconds, now)) {
    return false;
  }
  End(status.job_status() == kJobFailed ? kFailed : kComplete,
      kGracePeriodExceeded,
      "JobDeploymentStatus does not transition to Complete or Failed within "
      "the grace period after JobStatus reaches a terminal state.",
      status);
  return true;
}

bool CheckStatusCheckTimeout(const Settings& settings, const Timestamp& now,
                             RayJobStatus& status) {
  if (!settings.status_check_timeout ||
      !status.has_job_status_check_failure_start_time() ||
      !IsPast(status.job_status_check_failure_start_time(),
              settings.status_check_timeout_seconds, now)) {
    return false;
  }
  End(kFailed, kStatusCheckTimeoutExceeded,
      absl::StrFormat("Job status checks have been failing since %s; exceeded "
                      "timeout of %ds",
                      DateTime(status.job_status_check_failure_start_time()),
                      settings.status_check_timeout_seconds),
      status);
  return true;
}

bool CheckSubmitterFinishedTimeout(const std::optional<Timestamp>& finished_at,
                                   const Timestamp& now, RayJobStatus& status) {
  if (!finished_at.has_value() ||
      !IsPast(*finished_at, kSubmitterFinishedTimeoutSeconds, now)) {
    return false;
  }
  status.set_job_status(std::string(kJobFailed));
  End(kFailed, kGracePeriodExceeded,
      absl::StrFormat(
          "The RayJob submitter finished at %s but the ray job did not reach "
          "terminal state within %ds",
          DateTime(*finished_at), kSubmitterFinishedTimeoutSeconds),
      status);
  return true;
}

}  // namespace mulligan::rayjob
