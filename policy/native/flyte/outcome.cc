#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/answer.h"
#include "policy/native/flyte/plugins.h"

namespace mulligan {
namespace flyte {
namespace {

// Flyte's names, in enum order.
constexpr std::array<const char*, 8> kPhases = {
    "Undefined",        "WaitingForResources",
    "Queued",           "Initializing",
    "Running",          "Success",
    "RetryableFailure", "PermanentFailure"};

// Budgets, named after Flyte's settings.
constexpr char kUserBudget[] = "retries";
constexpr char kSystemBudgetV1[] = "max-node-retries-system-failures";
constexpr char kSystemBudgetV2[] = "max-system-failures";
constexpr char kWorkflowBudget[] = "max-workflow-retries";

// Clamps a number of the report to the range of Flyte's counters.
std::int64_t Counted(std::int64_t value) {
  return std::clamp<std::int64_t>(value, 0,
                                  std::numeric_limits<std::int32_t>::max());
}

// A node's stored counters: all retries so far, and those due to the system.
struct NodeCounters {
  std::int64_t attempts = 0;
  std::int64_t system_failures = 0;
};

// Returns the runs that user failures may use up. 0 retries mean unset.
std::int64_t MaxAttempts(const Settings& settings) {
  return settings.retries > 0 ? settings.retries + 1
                              : settings.default_max_attempts;
}

// v1's isEligibleForRetry. User failures and those of unknown kind are counted
// in runs, including this one; system failures in retries, excluding it.
struct Eligibility {
  bool by_system = false;
  std::int64_t current = 0;
  std::int64_t maximum = 0;
};
Eligibility EligibleForRetry(const Settings& settings,
                             const NodeCounters& counters, ErrorKind kind) {
  if (kind == ErrorKind::kSystem && !settings.ignore_retry_cause) {
    return {true, counters.system_failures,
            settings.max_node_retries_system_failures};
  }
  const std::int64_t others =
      settings.ignore_retry_cause ? 0 : counters.system_failures;
  return {false, counters.attempts + 1 - others, MaxAttempts(settings)};
}

// v1's IsInterruptible: whether the next run may use spot capacity if the node
// may. A threshold T > 0 is a number of failures; T <= 0 keeps the last |T|
// possible runs off spot. |T| above the number of runs wraps around in Flyte's
// unsigned numbers and never does.
bool MayUseSpot(const Settings& settings, const NodeCounters& counters) {
  if (settings.ignore_retry_cause && counters.attempts == 0) return true;
  const std::int64_t failures = settings.ignore_retry_cause
                                    ? counters.attempts
                                    : counters.system_failures;
  const std::int64_t runs = settings.ignore_retry_cause
                                ? MaxAttempts(settings)
                                : settings.max_node_retries_system_failures + 1;
  const std::int64_t threshold = settings.interruptible_failure_threshold;
  const std::int64_t bound = threshold > 0 ? threshold : runs + threshold;
  return bound < 0 || failures < bound;
}

// The input of the steps.
struct Seen {
  const NativeInput& input;
  const Settings& settings;
  const ReportedTask& task;
};

std::int64_t UsedOf(const std::string& budget, const Seen& seen) {
  const auto* const found = FindValue(seen.input.ledger.budgets(), budget);
  return found == nullptr ? 0 : Counted(found->used());
}

// `used` includes this failure; `limit` excludes the first run.
NativeCharge ChargeOf(const char* budget, std::int64_t used,
                      std::int64_t limit) {
  return {budget, used, std::max<std::int64_t>(0, limit)};
}

Counters CountersOf(const NodeCounters& counters) {
  return {{"attempts", counters.attempts},
          {"systemFailures", counters.system_failures}};
}

// For a task without a failure.
OperatorAnswer InPhaseOf(const PhaseInfo& info, const Settings& settings) {
  const bool goes_on =
      info.phase == Phase::kSuccess || info.phase == Phase::kRunning;
  OperatorAnswer answer =
      AnswerAs(kPhases.at(static_cast<std::size_t>(info.phase)),
               goes_on ? v1::Decision::IGNORE : v1::Decision::WAIT,
               {.message = info.reason});
  if (info.phase == Phase::kSuccess) {
    answer.warnings = {
        "the task's error file decides now, which is not in the report: it may "
        "say that the task has failed"};
  }
  if (info.phase == Phase::kWaitingForResources) {
    // backoff.SimpleBackOffBlocker waits base^n seconds, but only Flyte's
    // memory has n.
    answer.delay = std::min(absl::Seconds(1), settings.backoff_max_duration);
  }
  return answer;
}

// For an error or no phase at all: v1 discards the round without charging a
// budget of the node.
OperatorAnswer FruitlessRound(const std::string& message, const Seen& seen) {
  const std::int64_t limit = seen.settings.max_workflow_retries;
  const std::int64_t used = UsedOf(kWorkflowBudget, seen) + 1;
  return AnswerAs(
      "Error", used > limit ? v1::Decision::FAIL : v1::Decision::RETRY,
      {.message = message,
       .charge = ChargeOf(kWorkflowBudget, used, limit),
       .warnings = {
           "the round fails and is repeated at once; it counts against the "
           "whole workflow, which is aborted after too many"}});
}

// Counters according to the report and the ledger.
NodeCounters ReportedCounters(const Seen& seen) {
  const v1::FailureReport& report = seen.input.report;
  return {Counted(report.has_attempt() ? report.attempt() - std::int64_t{1}
                                       : seen.input.ledger.attempts_seen()),
          UsedOf(kSystemBudgetV1, seen)};
}

std::vector<std::string> WarningsOf(const NodeCounters& reported,
                                    const Settings& settings) {
  std::vector<std::string> warnings;
  if (reported.system_failures > reported.attempts) {
    warnings.push_back(
        absl::StrFormat("the ledger counts %d system failures in %d attempts; "
                        "the attempts are taken as these failures",
                        reported.system_failures, reported.attempts));
  }
  if (settings.node_active_deadline > absl::ZeroDuration()) {
    warnings.emplace_back(
        "settings.flyte.node-active-deadline: when the node was queued is not "
        "in the report, so the deadline is not applied");
  }
  return warnings;
}

// The deadline of nodeExecutor.execute: once it has passed, an unfinished
// attempt or a retryable failure becomes a user failure.
PhaseInfo WithDeadline(const PhaseInfo& info, const Seen& seen) {
  const absl::Duration deadline = seen.settings.node_execution_deadline;
  const std::optional<absl::Time>& created = seen.task.created;
  if (info.phase == Phase::kSuccess || info.phase == Phase::kPermanentFailure ||
      deadline <= absl::ZeroDuration() || !created.has_value() ||
      ToTime(seen.input.now) - *created <= deadline) {
    return info;
  }
  return RetryableFailure(ErrorKind::kUser, "TimeoutExpired",
                          absl::StrFormat("task execution timeout [%s] expired",
                                          GoDuration(deadline)));
}

// For a failure that v1 retries, or would with budget left.
OperatorAnswer RetryableV1(const ExecutionError& error, NodeCounters counters,
                           const Seen& seen) {
  const bool is_system = error.kind == ErrorKind::kSystem;
  const Eligibility retry =
      EligibleForRetry(seen.settings, counters, error.kind);
  const NativeCharge charge =
      retry.by_system
          ? ChargeOf(kSystemBudgetV1, retry.current + 1, retry.maximum)
          : ChargeOf(kUserBudget, retry.current, retry.maximum - 1);
  if (retry.current >= retry.maximum) {
    return Quits(
        "Failing",
        {.reason = "RetriesExhausted|" + error.code,
         .message = absl::StrFormat(
             "[%d/%d] currentAttempt done. Last Error: %s::%s", retry.current,
             retry.maximum, is_system ? "SYSTEM" : "USER", error.message),
         .charge = charge,
         .counters = CountersOf(counters)});
  }
  ++counters.attempts;
  if (is_system) ++counters.system_failures;
  const bool interruptible = seen.task.interruptible;
  const bool may_use_spot = MayUseSpot(seen.settings, counters);
  OperatorAnswer answer =
      Retries("RetryableFailure", {.reason = error.code,
                                   .message = error.message,
                                   .charge = charge,
                                   .on_demand = interruptible && !may_use_spot,
                                   .counters = CountersOf(counters)});
  answer.counters["interruptible"] = interruptible && may_use_spot ? 1 : 0;
  return answer;
}

OperatorAnswer EndedV1(const PhaseInfo& info, NodeCounters counters,
                       const Seen& seen) {
  if (info.phase == Phase::kRetryableFailure) {
    return RetryableV1(*info.error, counters, seen);
  }
  OperatorAnswer answer = InPhaseOf(info, seen.settings);
  if (info.phase == Phase::kPermanentFailure) {
    answer = Quits("PermanentFailure", {.reason = info.error->code,
                                        .message = info.error->message});
    // Permanent failures of the system (GPU faults) count too.
    if (info.error->kind == ErrorKind::kSystem) ++counters.system_failures;
  }
  answer.counters = CountersOf(counters);
  return answer;
}

OperatorAnswer AnswerV1(const Seen& seen) {
  const PhaseResult& result = seen.task.result;
  if (!result.ok()) {
    return FruitlessRound(std::string(result.status().message()), seen);
  }
  if (result->phase == Phase::kUndefined) {
    return FruitlessRound("error converting plugin phase, received [Undefined]",
                          seen);
  }
  const NodeCounters reported = ReportedCounters(seen);
  OperatorAnswer answer =
      EndedV1(WithDeadline(*result, seen),
              {std::max(reported.attempts, reported.system_failures),
               reported.system_failures},
              seen);
  answer.warnings =
      Appended(WarningsOf(reported, seen.settings), answer.warnings);
  return answer;
}

Counters CountersV2(std::int64_t attempts, std::int64_t system_failures,
                    const Seen& seen) {
  return {{"attempts", attempts},
          {"systemFailures", system_failures},
          {"interruptible", seen.task.interruptible ? 1 : 0}};
}

// Returns the latest failures in a row that the system budget paid for.
std::int64_t TrailingSystemFailures(const v1::BudgetLedger& ledger) {
  const auto& history = ledger.history();
  const auto other = std::find_if(
      history.rbegin(), history.rend(),
      [](const auto& entry) { return entry.charged_to() != kSystemBudgetV2; });
  return Counted(other - history.rbegin());
}

// recordSystemError: an error that a plugin returned, or a system failure.
// `reason` and `message` are those of the failure.
OperatorAnswer SystemErrorV2(const std::string& reason,
                             const std::string& message,
                             const std::string& error, const Seen& seen) {
  const ReportedTask& task = seen.task;
  const std::int64_t configured = seen.settings.max_system_failures;
  const std::int64_t limit = configured == 0 ? 3 : configured;
  // An accepted object has reset the count.
  const std::int64_t failures =
      1 + (task.is_launch ? TrailingSystemFailures(seen.input.ledger) : 0);
  OperatorAnswer rest{
      .reason = reason,
      .message = message.empty() ? error : message,
      .charge = ChargeOf(kSystemBudgetV2, failures, limit),
      .counters = CountersV2(1 + UsedOf(kUserBudget, seen), failures, seen)};
  if (!task.is_launch) {
    rest.warnings = {
        "Flyte 2 counts system failures in a row, and an accepted relaunch "
        "sets the count to 0: failures like this are retried without bound "
        "(flyteorg/flyte#7874)"};
  }
  if (failures <= limit) {
    rest.delay = absl::Seconds(10);
    return Retries("RetryableFailure", std::move(rest));
  }
  rest.reason = "MaxSystemFailuresExceeded";
  rest.message =
      absl::StrFormat("plugin \"%s\" failed with system error %d times: %s",
                      task.plugin, failures, error);
  return Quits("PermanentFailure", std::move(rest));
}

OperatorAnswer AnswerV2(const Seen& seen) {
  const PhaseResult& result = seen.task.result;
  if (!result.ok()) {
    return SystemErrorV2("", "", std::string(result.status().message()), seen);
  }
  if (!IsFailure(result->phase)) return InPhaseOf(*result, seen.settings);
  const ExecutionError& error = *result->error;
  const bool is_retryable = result->phase == Phase::kRetryableFailure;
  if (is_retryable && error.kind == ErrorKind::kSystem) {
    return SystemErrorV2(error.code, error.message,
                         absl::StrFormat("[%s] %s", error.code, error.message),
                         seen);
  }
  const std::int64_t attempts = 1 + UsedOf(kUserBudget, seen);
  const std::int64_t retries = seen.settings.retries;
  const bool is_retried = is_retryable && attempts <= retries;
  OperatorAnswer rest{
      .reason = error.code,
      .message = error.message,
      .counters = CountersV2(attempts + (is_retried ? 1 : 0), 0, seen)};
  if (is_retryable) rest.charge = ChargeOf(kUserBudget, attempts, retries);
  return is_retried ? Retries("RetryableFailure", rest)
                    : Quits("PermanentFailure", rest);
}

}  // namespace
}  // namespace flyte

std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input) {
  if (input.semantics.operator_() != "flyte" &&
      !flyte::HasFlyteMarks(input.report)) {
    return std::nullopt;
  }
  const auto setup = flyte::SettingsFor(input.semantics);
  const auto task =
      flyte::FindReportedTask(input.report, setup.settings, ToTime(input.now));
  if (!task.has_value()) return std::nullopt;
  const flyte::Seen seen{input, setup.settings, *task};
  return OutcomeBy(
      "Flyte", setup.semantics,
      task->is_pod ? v1::Decision::POD : v1::Decision::WORKLOAD,
      Appended(setup.warnings, task->warnings),
      setup.settings.rules.v2 ? flyte::AnswerV2(seen) : flyte::AnswerV1(seen));
}

}  // namespace mulligan
