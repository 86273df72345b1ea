// What the Spark operator does about a SparkApplication whose driver, or whose
// submission, failed.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/native.h"
#include "policy/operators/spark/reconcile.h"
#include "policy/operators/spark/settings.h"

namespace mulligan {
namespace spark {
namespace {

const Pod* FindPod(const std::string& name, const v1::FailureReport& report) {
  for (const Pod& pod : report.pods()) {
    if (pod.metadata().name() == name) return &pod;
  }
  return nullptr;
}

const std::string& StateOf(const SparkApplicationStatus& status) {
  return status.application_state().state();
}

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
  const auto& policy = failed.spec().restart_policy();
  const auto& status = failed.status();
  const bool run = StateOf(status) == kFailing;
  if (policy.type() != "OnFailure" ||
      (!run && StateOf(status) != kSubmissionFailed)) {
    return;
  }
  const std::string name =
      run ? "onFailureRetries" : "onSubmissionFailureRetries";
  if (run ? !policy.has_on_failure_retries()
          : !policy.has_on_submission_failure_retries()) {
    outcome.warnings.push_back(absl::StrFormat(
        "spec.restartPolicy.%s is absent: OnFailure never retries", name));
    return;
  }
  outcome.charged_to = name;
  outcome.used =
      run ? status.execution_attempts() : status.submission_attempts();
  outcome.limit = run ? policy.on_failure_retries()
                      : policy.on_submission_failure_retries();
}

void Tell(const Pass& first, NativeOutcome& outcome) {
  v1::NativeVerdict& verdict = outcome.verdict;
  verdict.set_verdict(StateOf(first.status));
  verdict.set_reason(first.event);
  verdict.set_message(first.status.application_state().error_message());
  auto& counters = *verdict.mutable_counters();
  counters["executionAttempts"] = first.status.execution_attempts();
  counters["submissionAttempts"] = first.status.submission_attempts();
}

}  // namespace
}  // namespace spark

std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input) {
  if (!input.report.has_spark_application()) return std::nullopt;
  spark::SettingsSetup setup = spark::SettingsFor(input.semantics);
  spark::SparkApplication application = input.report.spark_application();
  const std::string driver =
      spark::DriverName(application, input.report.pods());
  const spark::World world = {application, spark::FindPod(driver, input.report),
                              setup.settings, ToTime(input.now)};
  NativeOutcome outcome;
  outcome.warnings = std::move(setup.warnings);
  outcome.verdict.set_operator_("SparkApplication");
  outcome.verdict.set_semantics(std::move(setup.semantics));
  outcome.scope = v1::Decision::WORKLOAD;

  spark::Pass pass = spark::Reconcile(world);
  spark::Tell(pass, outcome);
  // A run that has just ended is decided about in the next pass, at once.
  if (spark::HasJustEnded(application.status(), pass.status)) {
    if (world.driver == nullptr) {
      outcome.warnings.push_back(absl::StrFormat(
          "pod %s, the driver, is not in the report: it is taken for deleted",
          driver));
    }
    *application.mutable_status() = pass.status;
    pass = spark::Reconcile(world);
  }
  if (!pass.error.empty()) outcome.warnings.push_back(pass.error);
  outcome.action = spark::ActionOf(pass, application);
  if (outcome.action == v1::Decision::RETRY)
    outcome.queue = v1::Decision::IN_PLACE;
  if (pass.step == spark::Step::kRetry || pass.step == spark::Step::kGiveUp) {
    spark::Charge(application, outcome);
  }
  if (pass.delay > absl::ZeroDuration()) {
    SetDuration(pass.delay, *outcome.verdict.mutable_delay());
  }
  return outcome;
}

}  // namespace mulligan
