#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/operators/flyte/plugins.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/go_text.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace flyte {
namespace {

// Flyte's names, in the order of the enumeration.
constexpr std::array<const char*, 8> kPhases = {
    "Undefined",        "WaitingForResources",
    "Queued",           "Initializing",
    "Running",          "Success",
    "RetryableFailure", "PermanentFailure"};

// Budgets, by the names of Flyte's settings.
constexpr char kUserBudget[] = "retries";
constexpr char kSystemBudgetV1[] = "max-node-retries-system-failures";
constexpr char kSystemBudgetV2[] = "max-system-failures";
constexpr char kWorkflowBudget[] = "max-workflow-retries";

// A number of a report as a counter of Flyte's.
std::int64_t Counted(std::int64_t value) {
  return std::clamp<std::int64_t>(value, 0,
                                  std::numeric_limits<std::int32_t>::max());
}

// A node's stored counters: retries made so far for any cause, and those of
// them that were the system's.
struct NodeCounters {
  std::int64_t attempts = 0;
  std::int64_t system_failures = 0;
};

// Runs that user failures may use up. 0 retries mean unset.
std::int64_t MaxAttempts(const Settings& settings) {
  return settings.retries > 0 ? settings.retries + 1
                              : settings.default_max_attempts;
}

// v1's isEligibleForRetry. User failures, and those of unknown kind, are
// counted in runs, this one included; system failures in retries, without it.
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

// v1's IsInterruptible: whether the next run may use spot capacity, given that
// the node may. A threshold T above 0 is a number of failures; T of 0 or less
// keeps the last |T| possible runs off spot. |T| greater than all runs wraps
// around in the peer's unsigned numbers and never does.
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

class FlyteAnswer {
 public:
  FlyteAnswer(const NativeInput& input, const Setup<Settings>& setup,
              const ReportedTask& task)
      : input_(input),
        settings_(setup.settings),
        task_(task),
        outcome_("Flyte",
                 task.is_pod ? v1::Decision::POD : v1::Decision::WORKLOAD,
                 setup) {
    for (const std::string& warning : task.warnings) outcome_.Warn(warning);
  }

  NativeOutcome Run() && {
    settings_.rules.v2 ? AnswerV2() : AnswerV1();
    return std::move(outcome_);
  }

 private:
  void Explain(const ExecutionError& error) {
    outcome_.Explain(error.code, error.message);
  }

  std::int64_t UsedOf(const char* budget) const {
    const auto& budgets = input_.ledger.budgets();
    const auto found = budgets.find(budget);
    return found == budgets.end() ? 0 : Counted(found->second.used());
  }

  // `used` with this failure, `limit` without the first run.
  void Charge(const char* budget, std::int64_t used, std::int64_t limit) {
    outcome_.Charge(budget, used, std::max<std::int64_t>(0, limit));
  }

  void Count(const NodeCounters& counted) {
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["attempts"] = CountOf(counted.attempts);
    counters["systemFailures"] = CountOf(counted.system_failures);
  }

  void CountSpot(bool interruptible) {
    (*outcome_.verdict.mutable_counters())["interruptible"] =
        interruptible ? 1 : 0;
  }

  // Nothing has failed.
  void AnswerPhase(const PhaseInfo& info) {
    const bool goes_on =
        info.phase == Phase::kSuccess || info.phase == Phase::kRunning;
    outcome_.Answer(kPhases[static_cast<std::size_t>(info.phase)],
                    goes_on ? v1::Decision::IGNORE : v1::Decision::WAIT);
    outcome_.verdict.set_message(info.reason);
    if (info.phase == Phase::kSuccess) {
      outcome_.Warn(
          "the task's error file decides now, which is not in the report: it "
          "may say that the task has failed");
    }
    if (info.phase == Phase::kWaitingForResources) {
      // backoff.SimpleBackOffBlocker waits base^n seconds; how often it waited
      // before is in Flyte's memory only.
      outcome_.Delay(
          std::min(absl::Seconds(1), settings_.backoff_max_duration));
    }
  }

  // An error, or no phase at all: v1 discards the round, and no budget of the
  // node pays.
  void AnswerFruitlessRound(std::string message) {
    const std::int64_t limit = settings_.max_workflow_retries;
    const std::int64_t used = UsedOf(kWorkflowBudget) + 1;
    outcome_.Answer("Error",
                    used > limit ? v1::Decision::FAIL : v1::Decision::RETRY);
    outcome_.verdict.set_message(std::move(message));
    Charge(kWorkflowBudget, used, limit);
    outcome_.Warn(
        "the round comes to nothing and is repeated at once; the whole "
        "workflow pays, and is aborted when it has too many");
  }

  NodeCounters CountersV1() {
    NodeCounters counters;
    counters.attempts = Counted(input_.report.has_attempt()
                                    ? input_.report.attempt() - std::int64_t{1}
                                    : input_.ledger.attempts_seen());
    counters.system_failures = UsedOf(kSystemBudgetV1);
    if (counters.system_failures > counters.attempts) {
      outcome_.Warn(absl::StrFormat(
          "the ledger counts %d system failures in %d attempts; the attempts "
          "are taken as these failures",
          counters.system_failures, counters.attempts));
      counters.attempts = counters.system_failures;
    }
    return counters;
  }

  // The deadline of nodeExecutor.execute: an attempt that has not ended, or
  // whose failure may be retried, becomes a user's failure when it has passed.
  PhaseInfo WithDeadline() const {
    const absl::Duration deadline = settings_.node_execution_deadline;
    const PhaseInfo& info = *task_.result;
    if (info.phase == Phase::kSuccess ||
        info.phase == Phase::kPermanentFailure ||
        deadline <= absl::ZeroDuration() || !task_.created.has_value() ||
        ToTime(input_.now) - *task_.created <= deadline) {
      return info;
    }
    return RetryableFailure(
        ErrorKind::kUser, "TimeoutExpired",
        absl::StrFormat("task execution timeout [%s] expired",
                        GoDuration(deadline)));
  }

  // A failure after which v1 retries, or would if the budget were not used up.
  void AnswerRetryableV1(const ExecutionError& error, NodeCounters counters) {
    const Eligibility retry = EligibleForRetry(settings_, counters, error.kind);
    if (retry.by_system) {
      Charge(kSystemBudgetV1, retry.current + 1, retry.maximum);
    } else {
      Charge(kUserBudget, retry.current, retry.maximum - 1);
    }
    if (retry.current >= retry.maximum) {
      outcome_.Answer("Failing", v1::Decision::FAIL);
      Count(counters);
      return Explain(
          {absl::StrCat("RetriesExhausted|", error.code),
           absl::StrFormat("[%d/%d] currentAttempt done. Last Error: %s::%s",
                           retry.current, retry.maximum,
                           error.kind == ErrorKind::kSystem ? "SYSTEM" : "USER",
                           error.message)});
    }
    outcome_.Answer("RetryableFailure", v1::Decision::RETRY);
    Explain(error);
    ++counters.attempts;
    if (error.kind == ErrorKind::kSystem) ++counters.system_failures;
    Count(counters);
    const bool may_use_spot = MayUseSpot(settings_, counters);
    CountSpot(task_.interruptible && may_use_spot);
    outcome_.on_demand = task_.interruptible && !may_use_spot;
  }

  void AnswerV1() {
    const PhaseResult& result = task_.result;
    if (!result.ok()) {
      return AnswerFruitlessRound(std::string(result.status().message()));
    }
    if (result->phase == Phase::kUndefined) {
      return AnswerFruitlessRound(
          "error converting plugin phase, received [Undefined]");
    }
    NodeCounters counters = CountersV1();
    if (settings_.node_active_deadline > absl::ZeroDuration()) {
      outcome_.Warn(
          "settings.flyte.node-active-deadline: when the node was queued is "
          "not in the report, so the deadline is not applied");
    }
    const PhaseInfo info = WithDeadline();
    if (info.phase == Phase::kRetryableFailure) {
      return AnswerRetryableV1(*info.error, counters);
    }
    if (info.phase == Phase::kPermanentFailure) {
      outcome_.Answer("PermanentFailure", v1::Decision::FAIL);
      Explain(*info.error);
      // Permanent failures of the system (GPU faults) are counted too.
      if (info.error->kind == ErrorKind::kSystem) ++counters.system_failures;
    } else {
      AnswerPhase(info);
    }
    Count(counters);
  }

  std::int64_t AttemptsV2() const { return 1 + UsedOf(kUserBudget); }

  // Failures at the end of the history that the system's budget paid.
  std::int64_t TrailingSystemFailures() const {
    const auto& history = input_.ledger.history();
    const auto other =
        std::find_if(history.rbegin(), history.rend(), [](const auto& entry) {
          return entry.charged_to() != kSystemBudgetV2;
        });
    return Counted(other - history.rbegin());
  }

  // recordSystemError: an error a plugin returned, or a failure of the
  // system's.
  void AnswerSystemErrorV2(const std::string& message) {
    const std::int64_t configured = settings_.max_system_failures;
    const std::int64_t limit = configured == 0 ? 3 : configured;
    // An object that was accepted has reset the count.
    const std::int64_t failures =
        1 + (task_.is_launch ? TrailingSystemFailures() : 0);
    Count({AttemptsV2(), failures});
    CountSpot(task_.interruptible);
    if (failures > limit) {
      outcome_.Answer("PermanentFailure", v1::Decision::FAIL);
      Explain({"MaxSystemFailuresExceeded",
               absl::StrFormat(
                   "plugin \"%s\" failed with system error %d times: %s",
                   task_.plugin, failures, message)});
    } else {
      outcome_.Answer("RetryableFailure", v1::Decision::RETRY);
      outcome_.Delay(absl::Seconds(10));
      if (outcome_.verdict.message().empty()) {
        outcome_.verdict.set_message(message);
      }
    }
    Charge(kSystemBudgetV2, failures, limit);
    if (!task_.is_launch) {
      outcome_.Warn(
          "Flyte 2 counts system failures in a row, and an accepted relaunch "
          "sets the count to 0: failures like this are retried without bound "
          "(flyteorg/flyte#7874)");
    }
  }

  void AnswerV2() {
    const PhaseResult& result = task_.result;
    if (!result.ok()) {
      return AnswerSystemErrorV2(std::string(result.status().message()));
    }
    if (!IsFailure(result->phase)) return AnswerPhase(*result);
    const ExecutionError& error = *result->error;
    Explain(error);
    const bool is_retryable = result->phase == Phase::kRetryableFailure;
    if (is_retryable && error.kind == ErrorKind::kSystem) {
      return AnswerSystemErrorV2(
          absl::StrFormat("[%s] %s", error.code, error.message));
    }
    const std::int64_t attempts = AttemptsV2();
    const bool is_retried = is_retryable && attempts <= settings_.retries;
    Count({attempts + (is_retried ? 1 : 0), 0});
    CountSpot(task_.interruptible);
    if (is_retryable) Charge(kUserBudget, attempts, settings_.retries);
    outcome_.Answer(is_retried ? "RetryableFailure" : "PermanentFailure",
                    is_retried ? v1::Decision::RETRY : v1::Decision::FAIL);
  }

  const NativeInput& input_;
  const Settings settings_;
  const ReportedTask& task_;
  NativeOutcome outcome_;
};

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
  return flyte::FlyteAnswer(input, setup, *task).Run();
}

}  // namespace mulligan
