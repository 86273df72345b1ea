// Values of a RayJob's status (KubeRay 1.5).
#ifndef MULLIGAN_POLICY_REQUEST_VIEWS_RAY_WORDS_H_
#define MULLIGAN_POLICY_REQUEST_VIEWS_RAY_WORDS_H_

#include <string_view>

namespace mulligan::rayjob {

// status.jobDeploymentStatus, the operator's state. It is empty before the
// first reconciliation.
inline constexpr std::string_view kNew;
inline constexpr std::string_view kInitializing = "Initializing";
inline constexpr std::string_view kWaiting = "Waiting";
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kSuspending = "Suspending";
inline constexpr std::string_view kSuspended = "Suspended";
inline constexpr std::string_view kRetrying = "Retrying";
inline constexpr std::string_view kComplete = "Complete";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kValidationFailed = "ValidationFailed";

// status.jobStatus, Ray's state of the application.
inline constexpr std::string_view kJobStopped = "STOPPED";
inline constexpr std::string_view kJobSucceeded = "SUCCEEDED";
inline constexpr std::string_view kJobFailed = "FAILED";
inline constexpr std::string_view kJobStatuses[] = {
    "", "PENDING", "RUNNING", kJobStopped, kJobSucceeded, kJobFailed};

// status.reason. A failed validation uses the name of its state.
inline constexpr std::string_view kSubmissionFailed = "SubmissionFailed";
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";
inline constexpr std::string_view kPreRunningDeadlineExceeded =
    "PreRunningDeadlineExceeded";
inline constexpr std::string_view kAppFailed = "AppFailed";
inline constexpr std::string_view kGracePeriodExceeded =
    "JobDeploymentStatusTransitionGracePeriodExceeded";
inline constexpr std::string_view kStatusCheckTimeoutExceeded =
    "JobStatusCheckTimeoutExceeded";

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_REQUEST_VIEWS_RAY_WORDS_H_
