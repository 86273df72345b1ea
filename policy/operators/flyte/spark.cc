#include "policy/operators/flyte/spark.h"

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/pod.h"

namespace mulligan::flyte {
namespace {

PhaseInfo Failed(std::string_view what, const SparkApplication& application) {
  return RetryableFailure(
      ErrorKind::kUser, std::string(kDownstreamSystemError),
      absl::StrFormat(
          "%s with Error: %s", what,
          application.status().application_state().error_message()));
}

}  // namespace

PhaseInfo SparkApplicationPhase(const SparkApplication& application,
                                const Pods& pods, const Settings& settings,
                                absl::Time now) {
  const auto& status = application.status();
  if (settings.rules.judges_plugin_pods) {
    const PhaseInfo info =
        FailedOrPendingPodPhase(pods, application.metadata().namespace_(),
                                status.driver_info().pod_name(),
                                "spark-kubernetes-driver", settings, now);
    if (IsFailure(info.phase)) return info;
  }
  const std::string_view state = status.application_state().state();
  // The operator's NewState is the empty text; its documents call it NEW.
  if (state.empty() || state == "NEW") {
    return InPhase(Phase::kQueued, "job queued");
  }
  if (state == "SUBMITTED") {
    return InPhase(Phase::kInitializing, "job submitted");
  }
  if (state == "SUBMISSION_FAILED") {
    return Failed("Spark Job  Submission Failed", application);
  }
  if (state == "FAILED") return Failed("Spark Job Failed", application);
  if (state == "COMPLETED") return InPhase(Phase::kSuccess);
  return InPhase(Phase::kRunning);
}

}  // namespace mulligan::flyte
