// Values of a SparkApplication's status (Spark operator 2).
#ifndef MULLIGAN_POLICY_REQUEST_VIEWS_SPARK_WORDS_H_
#define MULLIGAN_POLICY_REQUEST_VIEWS_SPARK_WORDS_H_

#include <string_view>

namespace mulligan::spark {

// status.applicationState.state.
inline constexpr std::string_view kNew;
inline constexpr std::string_view kSubmitted = "SUBMITTED";
inline constexpr std::string_view kRunning = "RUNNING";
inline constexpr std::string_view kUnknown = "UNKNOWN";
inline constexpr std::string_view kSubmissionFailed = "SUBMISSION_FAILED";
inline constexpr std::string_view kFailing = "FAILING";
inline constexpr std::string_view kSucceeding = "SUCCEEDING";
inline constexpr std::string_view kPendingRerun = "PENDING_RERUN";
inline constexpr std::string_view kInvalidating = "INVALIDATING";
inline constexpr std::string_view kSuspending = "SUSPENDING";
inline constexpr std::string_view kSuspended = "SUSPENDED";
inline constexpr std::string_view kResuming = "RESUMING";
inline constexpr std::string_view kCompleted = "COMPLETED";
inline constexpr std::string_view kFailed = "FAILED";

// The container in the driver's pod.
inline constexpr std::string_view kDriverContainer = "spark-kubernetes-driver";
// The container in each executor's pod.
inline constexpr std::string_view kExecutorContainer =
    "spark-kubernetes-executor";

// Returns the container that ran out of memory if `container` logged `line`:
// the driver's log also reports lost executors.
inline std::string_view ContainerShortOfMemory(std::string_view container,
                                               std::string_view line) {
  return container == kDriverContainer &&
                 line.find("xecutor") != std::string_view::npos
             ? kExecutorContainer
             : container;
}

}  // namespace mulligan::spark

#endif  // MULLIGAN_POLICY_REQUEST_VIEWS_SPARK_WORDS_H_
