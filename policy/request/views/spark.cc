// SparkApplications (Spark operator 2).
#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/shell.h"
#include "policy/request/field_path.h"
#include "policy/request/views/spark_words.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

constexpr PhaseOfState kSparkPhases[] = {
    {spark::kNew, WorkloadPhase::kWaits},
    {spark::kSubmitted, WorkloadPhase::kWaits},
    {spark::kUnknown, WorkloadPhase::kWaits},
    {spark::kInvalidating, WorkloadPhase::kWaits},
    {spark::kResuming, WorkloadPhase::kWaits},
    {spark::kRunning, WorkloadPhase::kRuns},
    {spark::kCompleted, WorkloadPhase::kSucceeded},
    {spark::kSucceeding, WorkloadPhase::kSucceeded},
    {spark::kFailed, WorkloadPhase::kGivenUp},
    {spark::kFailing, WorkloadPhase::kFailing},
    {spark::kSubmissionFailed, WorkloadPhase::kFailing},
    {spark::kPendingRerun, WorkloadPhase::kRestarts},
    {spark::kSuspending, WorkloadPhase::kHeld},
    {spark::kSuspended, WorkloadPhase::kHeld},
};

// Returns the driver's exit code in the operator's message; empty if none.
std::optional<std::int32_t> ExitCodeIn(const std::string& message) {
  static const re2::RE2* const exit =
      new re2::RE2("failed with ExitCode: (-?\\d+)");
  int code = 0;
  if (message.empty() ||
      !re2::RE2::PartialMatch(re2::StringPiece(message.data(), message.size()),
                              *exit, &code) ||
      code == 0) {
    return std::nullopt;
  }
  return code;
}

// Returns advice on the memory of the driver or executors, by the message.
std::string MemoryRemedy(
    const kubernetes::spark::v1beta2::SparkApplicationSpec& spec,
    const kubernetes::spark::v1beta2::ApplicationState& state) {
  const bool driver = state.error_message().find("driver") != std::string::npos;
  const std::string_view role = driver ? "driver" : "executor";
  const std::string& memory =
      driver ? spec.driver().memory() : spec.executor().memory();
  return absl::StrFormat(
      "raise spec.%s.memory%s, or spec.%s.memoryOverhead where it is not the "
      "heap",
      role, memory.empty() ? "" : ", now " + memory, role);
}

// Returns whether the run succeeded and restartPolicy Always runs it again.
bool RunsAgainAfterSuccess(
    const kubernetes::spark::v1beta2::SparkApplication& application) {
  const auto& state = application.status().application_state();
  return state.state() == spark::kPendingRerun &&
         state.error_message().empty() &&
         application.spec().restart_policy().type() == "Always";
}

}  // namespace

bool ViewSparkApplication(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_spark_application()) return false;
  const auto& application = report.spark_application();
  const auto& status = application.status();
  const auto& state = status.application_state();
  view.kind_name = "SparkApplication";
  ViewObject(application, view);
  // Its state says whether it is suspended.
  view.suspend_leaf = nullptr;
  view.state = state.state();
  view.state_leaf = ".status.applicationState.state";
  view.phase = PhaseBy(kSparkPhases, view.state_leaf, view.state, view);
  view.message = state.error_message();
  view.message_path = "sparkApplication.status.applicationState.errorMessage";
  if (!RunsAgainAfterSuccess(application)) {
    Statement& statement = view.statements.emplace_back();
    statement.source = "Spark";
    statement.state = state.state();
    statement.message = state.error_message();
    // A rerun covers everything that has failed so far. Spark operator 2.3
    // keeps the time at which the first driver failed.
    const bool of_earlier = state.state() != spark::kSubmissionFailed &&
                            status.termination_time().seconds() <=
                                status.last_submission_attempt_time().seconds();
    if (view.phase != WorkloadPhase::kRestarts && !of_earlier) {
      statement.at = &status.termination_time();
    }
    statement.leaf = view.state_leaf;
    statement.message_leaf = ".status.applicationState.errorMessage";
    statement.exit_code = ExitCodeIn(state.error_message());
  }
  const auto& restarts = application.spec().restart_policy();
  if (restarts.type() == "OnFailure") {
    view.retry_limit = restarts.on_failure_retries();
  }
  view.counts = {{"executionAttempts", status.execution_attempts()},
                 {"submissionAttempts", status.submission_attempts()}};
  view.attempt_began = &status.last_submission_attempt_time();
  view.times = {view.attempt_began, &status.termination_time()};
  return true;
}

void BoundSparkApplication(const v1::FailureReport& report,
                           const FieldPath& application) {
  application.Message(
      "status.applicationState.errorMessage",
      report.spark_application().status().application_state().error_message());
}

NativeCount CountSparkApplication(const v1::FailureReport& report,
                                  std::int32_t earlier) {
  const auto& status = report.spark_application().status();
  const bool submissions =
      status.submission_attempts() > status.execution_attempts();
  const std::int32_t attempts =
      submissions ? status.submission_attempts() : status.execution_attempts();
  return MakeNativeCount(std::int64_t{attempts} - 1 - earlier, attempts,
                         submissions
                             ? "SparkApplication.status.submissionAttempts"
                             : "SparkApplication.status.executionAttempts",
                         attempts);
}

bool IdentifySparkApplication(const v1::FailureReport& report,
                              StableHash& hash) {
  const auto& status = report.spark_application().status();
  hash.Add(status.submission_id())
      .Add(static_cast<std::uint64_t>(status.execution_attempts()))
      .Add(static_cast<std::uint64_t>(status.submission_attempts()));
  return !status.submission_id().empty() || status.submission_attempts() > 0;
}

void DescribeSparkApplication(const v1::FailureReport& report,
                              ObjectDetails& words) {
  const auto& application = report.spark_application();
  const auto& status = application.status();
  const auto& policy = application.spec().restart_policy();
  const std::string& space = application.metadata().namespace_();
  const std::string& driver = status.driver_info().pod_name();
  if (!driver.empty()) {
    words.log_command =
        LogCommand({space, driver, std::string(spark::kDriverContainer)});
  }
  const bool retries = policy.type() == "OnFailure";
  const bool ran = status.execution_attempts() > 0;
  words.tries.of = ran ? "run" : "submission";
  words.tries.made =
      ran ? status.execution_attempts() : status.submission_attempts();
  if (retries) {
    words.tries.limit = ran ? policy.on_failure_retries()
                            : policy.on_submission_failure_retries();
    words.tries.used = words.tries.made - 1;
  }
  // FAILED is the status both at the limit and without retries.
  if (retries && words.tries.made > words.tries.limit) {
    words.tries.limit_name =
        ran ? "onFailureRetries" : "onSubmissionFailureRetries";
  }
  words.memory_remedy =
      MemoryRemedy(application.spec(), status.application_state());
}

}  // namespace mulligan
