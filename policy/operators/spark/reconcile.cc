#include "policy/operators/spark/reconcile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"

namespace mulligan::spark {
namespace {

using ApplicationState = kubernetes::spark::v1beta2::ApplicationState;
using Terminated = kubernetes::core::v1::ContainerStateTerminated;

constexpr std::string_view kDriverContainer = "spark-kubernetes-driver";
constexpr std::string_view kRoleLabel = "spark-role";

ApplicationState& StateIn(Pass& pass) {
  return *pass.status.mutable_application_state();
}

void Enter(std::string_view state, Pass& pass) {
  StateIn(pass).set_state(std::string(state));
}

// Null: the driver's container has not ended, or has no status.
const Terminated* DriverEnd(const Pod& driver) {
  for (const auto& container : driver.status().container_statuses()) {
    if (container.name() != kDriverContainer) continue;
    return container.state().has_terminated() ? &container.state().terminated()
                                              : nullptr;
  }
  return nullptr;
}

// What the driver pod makes of the application.
struct DriverRow {
  std::string_view state;
  std::string_view event;
};
constexpr DriverRow kDriverPending = {kSubmitted, "SparkDriverPending"};
constexpr DriverRow kDriverRunning = {kRunning, "SparkDriverRunning"};
constexpr DriverRow kDriverCompleted = {kSucceeding, "SparkDriverCompleted"};
constexpr DriverRow kDriverFailed = {kFailing, "SparkDriverFailed"};
constexpr DriverRow kDriverUnknown = {kUnknown, "SparkDriverUnknown"};

// The container counts, not the pod: a sidecar may keep the pod running, or
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

Pass Start(const World& world) {
  Pass pass;
  pass.status = world.application.status();
  return pass;
}

Pass Stop(Step step, std::string error, const World& world) {
  Pass pass = Start(world);
  pass.step = step;
  pass.error = std::move(error);
  return pass;
}

Pass LoseDriver(const World& world) {
  const SparkApplicationStatus& status = world.application.status();
  const absl::Time deadline = ToTime(status.last_submission_attempt_time()) +
                              world.settings.driver_grace;
  if (status.application_state().state() == kSubmitted &&
      !IsZeroTime(status.last_submission_attempt_time()) &&
      world.now <= deadline) {
    return Stop(Step::kAwaitDriver,
                absl::StrFormat("driver pod not found, while inside the grace "
                                "period, which ends in %s",
                                absl::FormatDuration(deadline - world.now)),
                world);
  }
  Pass pass = Start(world);
  Enter(kFailing, pass);
  StateIn(pass).set_error_message("driver pod not found");
  return pass;
}

Pass FollowDriver(const World& world) {
  const SparkApplicationStatus& status = world.application.status();
  if (status.driver_info().pod_name().empty()) {
    return Stop(Step::kStuck,
                absl::StrFormat("empty driver pod name with application "
                                "state %s",
                                status.application_state().state()),
                world);
  }
  if (world.driver == nullptr) return LoseDriver(world);
  Pass pass = Start(world);
  const Terminated* const end = DriverEnd(*world.driver);
  const DriverRow& row = DriverRowOf(*world.driver, end);
  if (row.state == kFailing) {
    StateIn(pass).set_error_message(
        end == nullptr
            ? "driver container status missing"
            : absl::StrFormat(
                  "driver container failed with ExitCode: %d, Reason: %s",
                  end->exit_code(), end->reason()));
  }
  if (row.state != status.application_state().state()) pass.event = row.event;
  Enter(row.state, pass);
  return pass;
}

// The next run, with `status` as it is before the submission.
Pass Submit(const World& world, Step step) {
  Pass pass = Start(world);
  pass.step = step;
  SparkApplicationStatus& status = pass.status;
  status.set_submission_attempts(status.submission_attempts() + 1);
  status.set_execution_attempts(status.execution_attempts() + 1);
  Enter(kSubmitted, pass);
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSubmitted";
  return pass;
}

bool ShouldRetry(const SparkApplication& application) {
  const auto& policy = application.spec().restart_policy();
  const SparkApplicationStatus& status = application.status();
  if (policy.type() == "Always") return true;
  if (policy.type() != "OnFailure") return false;
  return status.application_state().state() == kFailing
             ? policy.has_on_failure_retries() &&
                   status.execution_attempts() <= policy.on_failure_retries()
             : policy.has_on_submission_failure_retries() &&
                   status.submission_attempts() <=
                       policy.on_submission_failure_retries();
}

// Interval times attempts, from the last submission and not from the failure;
// as Go computes it, whose numbers wrap around. 0 or less: due. kStuck when
// one of the three is missing.
Pass AwaitRetry(const World& world) {
  const auto& policy = world.application.spec().restart_policy();
  const SparkApplicationStatus& status = world.application.status();
  const bool failing = status.application_state().state() == kFailing;
  const bool has_interval =
      failing ? policy.has_on_failure_retry_interval()
              : policy.has_on_submission_failure_retry_interval();
  if (!has_interval || IsZeroTime(status.last_submission_attempt_time()) ||
      status.submission_attempts() <= 0) {
    return Stop(Step::kStuck,
                "invalid retry interval, last attempt time or attemptsDone",
                world);
  }
  const auto interval = static_cast<std::uint64_t>(
      failing ? policy.on_failure_retry_interval()
              : policy.on_submission_failure_retry_interval());
  const auto elapsed = static_cast<std::uint64_t>(absl::ToInt64Nanoseconds(
      world.now - ToTime(status.last_submission_attempt_time())));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto remaining = static_cast<std::int64_t>(
      interval * kSecond *
          static_cast<std::uint64_t>(status.submission_attempts()) -
      elapsed);
  Pass pass = Start(world);
  pass.step = Step::kRetry;
  pass.delay = absl::Nanoseconds(std::max<std::int64_t>(0, remaining));
  return pass;
}

Pass GiveUp(const World& world) {
  Pass pass = Start(world);
  pass.step = Step::kGiveUp;
  Enter(kFailed, pass);
  return pass;
}

Pass DecideSubmission(const World& world) {
  if (!ShouldRetry(world.application)) {
    Pass pass = GiveUp(world);
    pass.event = "SparkApplicationFailed";
    return pass;
  }
  Pass pass = AwaitRetry(world);
  // What is left of the last submission is deleted first.
  if (pass.step != Step::kRetry || pass.delay > absl::ZeroDuration() ||
      world.driver != nullptr) {
    return pass;
  }
  return Submit(world, Step::kRetry);
}

// Since 2.5 the words and the driver of a run that ended go at once.
void Rerun(const World& world, Pass& pass) {
  pass.step = Step::kRetry;
  Enter(kPendingRerun, pass);
  if (world.settings.keeps_submission_attempts) {
    StateIn(pass).clear_error_message();
  }
}

Pass DecideFailure(const World& world) {
  if (!ShouldRetry(world.application)) return GiveUp(world);
  Pass pass = AwaitRetry(world);
  if (pass.step == Step::kRetry && pass.delay == absl::ZeroDuration()) {
    Rerun(world, pass);
  }
  return pass;
}

Pass DecideSuccess(const World& world) {
  Pass pass = Start(world);
  if (world.application.spec().restart_policy().type() == "Always") {
    Rerun(world, pass);
  } else {
    Enter(kCompleted, pass);
  }
  return pass;
}

Pass Resubmit(const World& world) {
  if (world.driver != nullptr) {
    Pass pass = Start(world);
    pass.step = Step::kRetry;
    return pass;
  }
  Pass pass = Submit(world, Step::kRetry);
  if (!world.settings.keeps_submission_attempts) {
    pass.status.set_submission_attempts(1);
  }
  return pass;
}

Pass Invalidate(const World& world) {
  Pass pass = Start(world);
  pass.status.clear_submission_attempts();
  pass.status.clear_execution_attempts();
  Rerun(world, pass);
  StateIn(pass).clear_error_message();
  return pass;
}

// Of a new application, or one that is resumed.
Pass SubmitFirst(const World& world) { return Submit(world, Step::kFollow); }

bool ShouldSuspend(const World& world) {
  const std::string& state =
      world.application.status().application_state().state();
  return world.settings.suspends && world.application.spec().suspend() &&
         state != kCompleted && state != kFailed && state != kSuspended &&
         state != kSuspending;
}

Pass Suspend(const World& world) {
  Pass pass = Start(world);
  Enter(kSuspended, pass);
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSuspending";
  return pass;
}

Pass AwaitResumption(const World& world) {
  Pass pass = Start(world);
  if (world.driver != nullptr) return pass;
  StateIn(pass).clear_error_message();
  pass.event = "SparkApplicationSuspended";
  if (!world.application.spec().suspend()) Enter(kResuming, pass);
  return pass;
}

struct StateRow {
  std::string_view state;
  // Whether the state came with spec.suspend.
  bool suspends;
  Pass (*reconcile)(const World&);
};

// A state that is not here is left alone.
constexpr StateRow kStates[] = {
    {"", false, SubmitFirst},
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
    {kResuming, true, SubmitFirst},
};

}  // namespace

std::string DriverName(const SparkApplication& application,
                       const google::protobuf::RepeatedPtrField<Pod>& pods) {
  const std::string& submitted = application.status().driver_info().pod_name();
  if (!submitted.empty()) return submitted;
  for (const Pod& pod : pods) {
    const auto& labels = pod.metadata().labels();
    const auto role = labels.find(std::string(kRoleLabel));
    if (role != labels.end() && role->second == "driver") {
      return pod.metadata().name();
    }
  }
  return application.metadata().name() + "-driver";
}

Pass Reconcile(const World& world) {
  if (world.application.metadata().has_deletion_timestamp()) {
    return Start(world);
  }
  if (ShouldSuspend(world)) {
    Pass pass = Start(world);
    Enter(kSuspending, pass);
    return pass;
  }
  const std::string& state =
      world.application.status().application_state().state();
  const auto* const found = std::find_if(
      std::begin(kStates), std::end(kStates), [&](const StateRow& row) {
        return row.state == state && (!row.suspends || world.settings.suspends);
      });
  return found == std::end(kStates) ? Start(world) : found->reconcile(world);
}

}  // namespace mulligan::spark
