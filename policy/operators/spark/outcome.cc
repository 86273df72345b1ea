// What the Spark operator does about a SparkApplication whose driver, or whose
// submission, failed.
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/native.h"
#include "policy/operators/objects.h"
#include "policy/operators/spark/reconcile.h"

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

// The budget of a failure that is decided about: only OnFailure has one.
void Charge(const SparkApplication& failed, NativeOutcome& outcome) {
  const std::string& state = StateOf(failed.status());
  if (failed.spec().restart_policy().type() != "OnFailure" ||
      (state != kFailing && state != kSubmissionFailed)) {
    return;
  }
  const RetryRule rule = RetryRuleFor(failed, failed.status());
  if (rule.retries.has_value()) {
    return outcome.Charge(rule.name, rule.attempts, *rule.retries);
  }
  outcome.Warn(absl::StrFormat(
      "spec.restartPolicy.%s is absent: OnFailure never retries", rule.name));
}

NativeOutcome OutcomeOf(const NativeInput& input) {
  const Setup<Settings> setup = SettingsFor(input.semantics);
  NativeOutcome outcome("SparkApplication", v1::Decision::WORKLOAD, setup);
  SparkApplication application = input.report.spark_application();
  const auto& pods = input.report.pods();
  const std::string driver = DriverName(application, pods);
  const Observed observed = {
      application,
      FindIn(pods,
             [&](const Pod& pod) { return pod.metadata().name() == driver; }),
      setup.settings, ToTime(input.now)};
  const Pass first = Reconcile(observed);
  Pass pass = first;
  // A run that has just ended is decided about in the next pass, at once.
  if (HasJustEnded(application.status(), first.status)) {
    if (observed.driver == nullptr) {
      outcome.Warn(absl::StrFormat(
          "pod %s, the driver, is not in the report: it is taken for deleted",
          driver));
    }
    *application.mutable_status() = first.status;
    pass = Reconcile(observed);
  }
  if (!pass.error.empty()) outcome.Warn(pass.error);
  outcome.Answer(StateOf(first.status), ActionOf(pass, application));
  outcome.Explain(first.event,
                  first.status.application_state().error_message());
  auto& counters = *outcome.verdict.mutable_counters();
  counters["executionAttempts"] = first.status.execution_attempts();
  counters["submissionAttempts"] = first.status.submission_attempts();
  if (pass.step == Step::kRetry || pass.step == Step::kGiveUp) {
    Charge(application, outcome);
  }
  if (pass.delay > absl::ZeroDuration()) outcome.Delay(pass.delay);
  return outcome;
}

}  // namespace
}  // namespace spark

std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input) {
  if (!input.report.has_spark_application()) return std::nullopt;
  return spark::OutcomeOf(input);
}

}  // namespace mulligan
