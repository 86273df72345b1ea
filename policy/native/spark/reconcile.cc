#include "policy/native/spark/reconcile.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/objects.h"

namespace mulligan::spark {
namespace {

using ApplicationState = kubernetes::spark::v1beta2::ApplicationState;
using Terminated = kubernetes::core::v1::ContainerStateTerminated;

constexpr std::string_view kGrace = "spark.driver-pod-creation-grace-period";

// No gate affects failures.
constexpr std::array<SwitchRow<Settings>, 2> kSwitches = {{
    {"", &Settings::suspends, 4},
    {"", &Settings::keeps_submission_attempts, 5},
}};

constexpr std::string_view kRoleLabel = "spark-role";

ApplicationState& StateIn(Pass& pass) {
  return *pass.status.mutable_application_state();
}

void Enter(std::string_view state, Pass& pass) {
  StateIn(pass).set_state(std::string(state));
}

// Returns null if the driver's container has not ended or has no status.
const Terminated* DriverEnd(const Pod& driver) {
  const auto* const container =
      FindNamed(driver.status().container_statuses(), kDriverContainer);
  return container != nullptr && container->state().has_terminated()
             ? &container->state().terminated()
             : nullptr;
}

// The effect of the driver pod on the application.
struct DriverRow {
  std::string_view state;
  std::string_view event;
};
constexpr DriverRow kDriverPending = {kSubmitted, "SparkDriverPending"};
constexpr DriverRow kDriverRunning = {kRunning, "SparkDriverRunning"};
constexpr DriverRow kDriverCompleted = {kSucceeding, "SparkDriverCompleted"};
constexpr DriverRow kDriverFailed = {kFailing, "SparkDriverFailed"};
constexpr DriverRow kDriverUnknown = {kUnknown, "SparkDriverUnknown"};

// The container decides, not the pod: a sidecar may keep the pod running, or
// make it fail after the driver has succeeded.
const DriverRow& DriverRowOf(const Pod& driver, const Terminated* end) {
  const std::string& phase = driver.status().phase();
  if (phase == "Pending") return kDriverPending;
  if (phase == "Succeeded") return kDriverCompleted;
  if (phase != "Running" && phase != "Failed") return kDriverUnknown;
  if (end != nullptr) {
    return end->exit_code() == 0 ? kDriverCompleted : kDriverFailed;
  }
  return phase == "Running" ? kDriverRunning : kDriverFailed;
}

// Handlers of the states; `pass` starts with the current status.

void Stop(Step step, std::string error, Pass& pass) {
  pass.step = step;
  pass.error = std::move(error);
}

void LoseDriver(const Observed& observed, Pass& pass) {
  const absl::Time submitted =
      ToTime(pass.status.last_submission_attempt_time());
  const absl::Time deadline = submitted + observed.settings.driver_grace;
  if (StateIn(pass).state() == kSubmitted &&
      !IsZeroTime(pass.status.last_submission_attempt_time()) &&
      observed.now <= deadline) {
    return Stop(Step::kAwaitDriver,
                absl::StrFormat("driver pod not found, while inside the grace "
                                "period, which ends in %s",
                                absl::FormatDuration(deadline - observed.now)),
                pass);
  }
  Enter(kFailing, pass);
  StateIn(pass).set_error_message("driver pod not found");
}

void FollowDriver(const Observed& observed, Pass& pass) {
  const std::string state = StateIn(pass).state();
  if (pass.status.driver_info().pod_name().empty()) {
    return Stop(Step::kStuck,
                absl::StrFormat(
                    "empty driver pod name with application state %s", state),
                pass);
  }
  if (observed.driver == nullptr) return LoseDriver(observed, pass);
  const Terminated* const end = DriverEnd(*observed.driver);
  const DriverRow& row = DriverRowOf(*observed.driver, end);
  if (row.state == kFailing) {
    StateIn(pass).set_error_message(
        end == nullptr
            ? "driver container status missing"
            : absl::StrFormat(
                  "driver container failed with ExitCode: %d, Reason: %s",
                  end->exit_code(), end->reason()));
  }
  if (row.state != state) pass.event = row.event;
  Enter(row.state, pass);
}

// Starts the next run, the first one or that of a resumed application.
void Submit(const Observed&, Pass& pass) {
  SparkApplicationStatus& status = pass.status;
  status.set_submission_attempts(status.submission_attempts() + 1);
  status.set_execution_attempts(status.execution_attempts() + 1);
  Enter(kSubmitted, pass);
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSubmitted";
}

bool ShouldRetry(const Observed& observed, const Pass& pass) {
  const std::string& type = observed.application.spec().restart_policy().type();
  const RetryRule rule = RetryRuleFor(observed.application, pass.status);
  return type == "Always" || (type == "OnFailure" && rule.retries.has_value() &&
                              rule.attempts <= *rule.retries);
}

// Returns whether the retry is due: interval times attempts after the last
// submission, not after the failure. Wraps around as in Go; 0 or less is due.
// Sets kStuck if one of the three is missing.
bool AwaitRetry(const Observed& observed, Pass& pass) {
  const SparkApplicationStatus& status = pass.status;
  const RetryRule rule = RetryRuleFor(observed.application, status);
  if (!rule.interval.has_value() ||
      IsZeroTime(status.last_submission_attempt_time()) ||
      status.submission_attempts() <= 0) {
    Stop(Step::kStuck,
         "invalid retry interval, last attempt time or attemptsDone", pass);
    return false;
  }
  const auto interval = static_cast<std::uint64_t>(*rule.interval);
  const auto elapsed = static_cast<std::uint64_t>(absl::ToInt64Nanoseconds(
      observed.now - ToTime(status.last_submission_attempt_time())));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto remaining = static_cast<std::int64_t>(
      interval * kSecond *
          static_cast<std::uint64_t>(status.submission_attempts()) -
      elapsed);
  pass.step = Step::kRetry;
  pass.delay = absl::Nanoseconds(std::max<std::int64_t>(0, remaining));
  return remaining <= 0;
}

void GiveUp(Pass& pass) {
  pass.step = Step::kGiveUp;
  Enter(kFailed, pass);
}

void DecideSubmission(const Observed& observed, Pass& pass) {
  if (!ShouldRetry(observed, pass)) {
    pass.event = "SparkApplicationFailed";
    return GiveUp(pass);
  }
  // The rest of the last submission is deleted first.
  if (AwaitRetry(observed, pass) && observed.driver == nullptr)
    Submit(observed, pass);
}

// Since 2.5, the ended run's messages and driver are erased at once.
void Rerun(const Observed& observed, Pass& pass) {
  pass.step = Step::kRetry;
  Enter(kPendingRerun, pass);
  if (observed.settings.keeps_submission_attempts) {
    StateIn(pass).clear_error_message();
  }
}

void DecideFailure(const Observed& observed, Pass& pass) {
  if (!ShouldRetry(observed, pass)) return GiveUp(pass);
  if (AwaitRetry(observed, pass)) Rerun(observed, pass);
}

void DecideSuccess(const Observed& observed, Pass& pass) {
  if (observed.application.spec().restart_policy().type() == "Always") {
    return Rerun(observed, pass);
  }
  Enter(kCompleted, pass);
}

void Resubmit(const Observed& observed, Pass& pass) {
  pass.step = Step::kRetry;
  if (observed.driver != nullptr) return;
  Submit(observed, pass);
  if (!observed.settings.keeps_submission_attempts) {
    pass.status.set_submission_attempts(1);
  }
}

void Invalidate(const Observed& observed, Pass& pass) {
  pass.status.clear_submission_attempts();
  pass.status.clear_execution_attempts();
  Rerun(observed, pass);
  StateIn(pass).clear_error_message();
}

bool ShouldSuspend(const Observed& observed) {
  const std::string& state = StateOf(observed.application.status());
  return observed.settings.suspends && observed.application.spec().suspend() &&
         state != kCompleted && state != kFailed && state != kSuspended &&
         state != kSuspending;
}

void Suspend(const Observed&, Pass& pass) {
  Enter(kSuspended, pass);
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSuspending";
}

void AwaitResumption(const Observed& observed, Pass& pass) {
  if (observed.driver != nullptr) return;
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSuspended";
  if (!observed.application.spec().suspend()) Enter(kResuming, pass);
}

struct StateRow {
  std::string_view state;
  // Whether spec.suspend introduced the state.
  bool suspends;
  void (*reconcile)(const Observed&, Pass&);
};

// States that are not listed are ignored.
constexpr std::array<StateRow, 12> kStates = {{
    {"", false, Submit},
    {kSubmitted, false, FollowDriver},
    {kRunning, false, FollowDriver},
    {kUnknown, false, FollowDriver},
    {kSubmissionFailed, false, DecideSubmission},
    {kFailing, false, DecideFailure},
    {kSucceeding, false, DecideSuccess},
    {kPendingRerun, false, Resubmit},
    {kInvalidating, false, Invalidate},
    {kSuspending, true, Suspend},
    {kSuspended, true, AwaitResumption},
    {kResuming, true, Submit},
}};

}  // namespace

Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics) {
  auto setup = SetUpBy(semantics, {"spark", 2, 3, 5}, kSwitches);
  for (const auto& [name, value] : ByName(semantics.settings(), "spark.")) {
    if (name != kGrace) {
      setup.warnings.push_back(absl::StrFormat(
          "settings.%s: no flag of the operator that bears on failures", name));
    } else if (!absl::ParseDuration(value, &setup.settings.driver_grace)) {
      setup.settings.driver_grace = Settings().driver_grace;
      setup.warnings.push_back(absl::StrFormat(
          "settings.%s: \"%s\" is no duration, the default is used", name,
          value));
    }
  }
  return setup;
}

RetryRule RetryRuleFor(const SparkApplication& application,
                       const SparkApplicationStatus& status) {
  const auto& policy = application.spec().restart_policy();
  const auto given = [](bool present, auto value) {
    return present ? std::optional(value) : std::nullopt;
  };
  if (StateOf(status) == kFailing) {
    return {"onFailureRetries",
            given(policy.has_on_failure_retries(), policy.on_failure_retries()),
            given(policy.has_on_failure_retry_interval(),
                  policy.on_failure_retry_interval()),
            status.execution_attempts()};
  }
  return {"onSubmissionFailureRetries",
          given(policy.has_on_submission_failure_retries(),
                policy.on_submission_failure_retries()),
          given(policy.has_on_submission_failure_retry_interval(),
                policy.on_submission_failure_retry_interval()),
          status.submission_attempts()};
}

std::string DriverName(const SparkApplication& application,
                       const google::protobuf::RepeatedPtrField<Pod>& pods) {
  const std::string& submitted = application.status().driver_info().pod_name();
  if (!submitted.empty()) return submitted;
  for (const Pod& pod : pods) {
    if (ValueAt(pod.metadata().labels(), kRoleLabel) == "driver") {
      return pod.metadata().name();
    }
  }
  return application.metadata().name() + "-driver";
}

Pass Reconcile(const Observed& observed) {
  Pass pass;
  pass.status = observed.application.status();
  if (observed.application.metadata().has_deletion_timestamp()) return pass;
  if (ShouldSuspend(observed)) {
    Enter(kSuspending, pass);
    return pass;
  }
  const std::string& state = StateOf(observed.application.status());
  const StateRow* const row = FindIn(kStates, [&](const StateRow& each) {
    return each.state == state &&
           (!each.suspends || observed.settings.suspends);
  });
  if (row != nullptr) row->reconcile(observed, pass);
  return pass;
}

}  // namespace mulligan::spark
