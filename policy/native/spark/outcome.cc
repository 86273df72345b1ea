// The Spark operator's answer for a SparkApplication whose driver or submission
// failed.

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/answer.h"
#include "policy/native/spark/reconcile.h"

namespace mulligan {
namespace spark {
namespace {

bool HasJustEnded(const SparkApplicationStatus& before,
                  const SparkApplicationStatus& after) {
  return StateOf(before) != StateOf(after) &&
         (StateOf(after) == kFailing || StateOf(after) == kSucceeding);
}

v1::Decision::Action ActionOf(const Pass& decided,
                              const SparkApplication& application) {
  if (application.metadata().has_deletion_timestamp())
    return v1::Decision::IGNORE;
  switch (decided.step) {
    case Step::kAwaitDriver:
      return v1::Decision::WAIT;
    case Step::kRetry:
      return v1::Decision::RETRY;
    case Step::kStuck:
      return v1::Decision::WAIT_FOR_SPEC_UPDATE;
    case Step::kFollow:
    case Step::kGiveUp:
      break;
  }
  return StateOf(decided.status) == kFailed ? v1::Decision::FAIL
                                            : v1::Decision::IGNORE;
}

// Adds the budget of a failure that is being decided; only OnFailure has one.
OperatorAnswer Charged(OperatorAnswer answer, const SparkApplication& failed) {
  const std::string& state = StateOf(failed.status());
  if (failed.spec().restart_policy().type() != "OnFailure" ||
      (state != kFailing && state != kSubmissionFailed)) {
    return answer;
  }
  const RetryRule rule = RetryRuleFor(failed, failed.status());
  if (rule.retries.has_value()) {
    answer.charge = {std::string(rule.name), rule.attempts, *rule.retries};
  } else {
    answer.warnings.push_back(absl::StrFormat(
        "spec.restartPolicy.%s is absent: OnFailure never retries", rule.name));
  }
  return answer;
}

OperatorAnswer AnswerTo(const NativeInput& input, const Settings& settings) {
  SparkApplication application = input.report.spark_application();
  const auto& pods = input.report.pods();
  const std::string driver = DriverName(application, pods);
  const Observed observed = {
      application,
      FindIn(pods,
             [&](const Pod& pod) { return pod.metadata().name() == driver; }),
      settings, ToTime(input.now)};
  const Pass first = Reconcile(observed);
  const SparkApplicationStatus& status = first.status;
  Pass pass = first;
  OperatorAnswer rest{
      .reason = first.event,
      .message = status.application_state().error_message(),
      .counters = {{"executionAttempts", status.execution_attempts()},
                   {"submissionAttempts", status.submission_attempts()}}};
  // A run that has just ended is decided in the next pass, at once.
  if (HasJustEnded(application.status(), status)) {
    if (observed.driver == nullptr) {
      rest.warnings.push_back(absl::StrFormat(
          "pod %s, the driver, is not in the report: it is taken for deleted",
          driver));
    }
    *application.mutable_status() = status;
    pass = Reconcile(observed);
  }
  if (!pass.error.empty()) rest.warnings.push_back(pass.error);
  if (pass.delay > absl::ZeroDuration()) rest.delay = pass.delay;
  const OperatorAnswer answer =
      AnswerAs(StateOf(status), ActionOf(pass, application), std::move(rest));
  return pass.step == Step::kRetry || pass.step == Step::kGiveUp
             ? Charged(answer, application)
             : answer;
}

}  // namespace
}  // namespace spark

std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input) {
  if (!input.report.has_spark_application()) return std::nullopt;
  const auto setup = spark::SettingsFor(input.semantics);
  return OutcomeBy("SparkApplication", setup.semantics, v1::Decision::WORKLOAD,
                   setup.warnings, spark::AnswerTo(input, setup.settings));
}

}  // namespace mulligan
