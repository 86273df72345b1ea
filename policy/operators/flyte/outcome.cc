#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/operators/flyte/budget.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/report.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/go_text.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace flyte {
namespace {

// Budgets, by the names of Flyte's settings.
constexpr std::string_view kUserBudget = "retries";
constexpr std::string_view kSystemBudgetV1 = "max-node-retries-system-failures";
constexpr std::string_view kSystemBudgetV2 = "max-system-failures";
constexpr std::string_view kWorkflowBudget = "max-workflow-retries";

// A number of a report as a counter of Flyte's.
std::int64_t Counted(std::int64_t value) {
  return std::clamp<std::int64_t>(value, 0,
                                  std::numeric_limits<std::int32_t>::max());
}

std::int64_t UsedOf(const v1::BudgetLedger& ledger, std::string_view budget) {
  const auto found = ledger.budgets().find(std::string(budget));
  return found == ledger.budgets().end() ? 0 : Counted(found->second.used());
}

// Failures at the end of the history that this budget paid.
std::int64_t TrailingUseOf(const v1::BudgetLedger& ledger,
                           std::string_view budget) {
  std::int64_t count = 0;
  for (auto i = ledger.history_size(); i > 0; --i) {
    if (ledger.history(i - 1).charged_to() != budget) break;
    ++count;
  }
  return count;
}

// What the steps below share.
struct Question {
  const NativeInput& input;
  const Settings& settings;
  const ReportedTask& task;
};

void Answer(std::string_view word, v1::Decision::Action action,
            NativeOutcome& outcome) {
  outcome.verdict.set_verdict(std::string(word));
  outcome.action = action;
  if (action == v1::Decision::RETRY) outcome.queue = v1::Decision::IN_PLACE;
}

void Explain(const ExecutionError& error, NativeOutcome& outcome) {
  outcome.verdict.set_reason(error.code);
  outcome.verdict.set_message(error.message);
}

// `used` with this failure, `limit` without the first run.
void Charge(std::string_view budget, std::int64_t used, std::int64_t limit,
            NativeOutcome& outcome) {
  outcome.charged_to = std::string(budget);
  outcome.used = used;
  outcome.limit = std::max<std::int64_t>(0, limit);
}

void Delay(absl::Duration delay, NativeOutcome& outcome) {
  SetDuration(delay, *outcome.verdict.mutable_delay());
}

void Count(std::int64_t attempts, std::int64_t system_failures,
           NativeOutcome& outcome) {
  auto& counters = *outcome.verdict.mutable_counters();
  counters["attempts"] = CountOf(attempts);
  counters["systemFailures"] = CountOf(system_failures);
}

// Nothing has failed.
void AnswerPhase(const PhaseInfo& info, const Settings& settings,
                 NativeOutcome& outcome) {
  const bool goes_on =
      info.phase == Phase::kSuccess || info.phase == Phase::kRunning;
  Answer(PhaseName(info.phase),
         goes_on ? v1::Decision::IGNORE : v1::Decision::WAIT, outcome);
  outcome.verdict.set_message(info.reason);
  if (info.phase == Phase::kSuccess) {
    outcome.warnings.emplace_back(
        "the task's error file decides now, which is not in the report: it "
        "may say that the task has failed");
  }
  if (info.phase == Phase::kWaitingForResources) {
    // backoff.SimpleBackOffBlocker waits base^n seconds; how often it waited
    // before is in Flyte's memory only.
    Delay(std::min(absl::Seconds(1), settings.backoff_max_duration), outcome);
  }
}

// An error, or no phase at all: v1 discards the round, and no budget of the
// node pays.
void AnswerFruitlessRound(const Question& question, std::string message,
                          NativeOutcome& outcome) {
  const std::int64_t limit = question.settings.max_workflow_retries;
  const std::int64_t used = UsedOf(question.input.ledger, kWorkflowBudget) + 1;
  Answer("Error", used > limit ? v1::Decision::FAIL : v1::Decision::RETRY,
         outcome);
  outcome.verdict.set_message(std::move(message));
  Charge(kWorkflowBudget, used, limit, outcome);
  outcome.warnings.emplace_back(
      "the round comes to nothing and is repeated at once; the whole "
      "workflow pays, and is aborted when it has too many");
}

NodeCounters CountersV1(const NativeInput& input, NativeOutcome& outcome) {
  NodeCounters counters;
  counters.attempts = Counted(input.report.has_attempt()
                                  ? input.report.attempt() - std::int64_t{1}
                                  : input.ledger.attempts_seen());
  counters.system_failures = UsedOf(input.ledger, kSystemBudgetV1);
  if (counters.system_failures > counters.attempts) {
    outcome.warnings.push_back(absl::StrFormat(
        "the ledger counts %d system failures in %d attempts; the attempts "
        "are taken as these failures",
        counters.system_failures, counters.attempts));
    counters.attempts = counters.system_failures;
  }
  return counters;
}

// The deadline of nodeExecutor.execute: an attempt that has not ended, or
// whose failure may be retried, becomes a user's failure when it has passed.
PhaseInfo WithDeadline(const Question& question) {
  const absl::Duration deadline = question.settings.node_execution_deadline;
  const PhaseInfo& info = *question.task.result;
  if (info.phase == Phase::kSuccess || info.phase == Phase::kPermanentFailure ||
      deadline <= absl::ZeroDuration() || !question.task.created.has_value() ||
      ToTime(question.input.now) - *question.task.created <= deadline) {
    return info;
  }
  return RetryableFailure(ErrorKind::kUser, "TimeoutExpired",
                          absl::StrFormat("task execution timeout [%s] expired",
                                          GoDuration(deadline)));
}

// A failure after which v1 retries, or would if the budget were not used up.
void AnswerRetryableV1(const Question& question, const ExecutionError& error,
                       NodeCounters counters, NativeOutcome& outcome) {
  const Eligibility retry =
      EligibleForRetry(question.settings, counters, error.kind);
  if (retry.by_system) {
    Charge(kSystemBudgetV1, retry.current + 1, retry.maximum, outcome);
  } else {
    Charge(kUserBudget, retry.current, retry.maximum - 1, outcome);
  }
  if (!retry.IsGranted()) {
    Answer("Failing", v1::Decision::FAIL, outcome);
    Count(counters.attempts, counters.system_failures, outcome);
    return Explain(
        {absl::StrCat("RetriesExhausted|", error.code),
         absl::StrFormat("[%d/%d] currentAttempt done. Last Error: %s::%s",
                         retry.current, retry.maximum, KindName(error.kind),
                         error.message)},
        outcome);
  }
  Answer("RetryableFailure", v1::Decision::RETRY, outcome);
  Explain(error, outcome);
  ++counters.attempts;
  if (error.kind == ErrorKind::kSystem) ++counters.system_failures;
  Count(counters.attempts, counters.system_failures, outcome);
  const bool may_use_spot =
      question.task.interruptible && MayUseSpot(question.settings, counters);
  (*outcome.verdict.mutable_counters())["interruptible"] = may_use_spot ? 1 : 0;
  outcome.on_demand = question.task.interruptible && !may_use_spot;
}

void AnswerV1(const Question& question, NativeOutcome& outcome) {
  const PhaseResult& result = question.task.result;
  if (!result.ok()) {
    return AnswerFruitlessRound(
        question, std::string(result.status().message()), outcome);
  }
  if (result->phase == Phase::kUndefined) {
    return AnswerFruitlessRound(
        question, "error converting plugin phase, received [Undefined]",
        outcome);
  }
  NodeCounters counters = CountersV1(question.input, outcome);
  if (question.settings.node_active_deadline > absl::ZeroDuration()) {
    outcome.warnings.emplace_back(
        "settings.flyte.node-active-deadline: when the node was queued is "
        "not in the report, so the deadline is not applied");
  }
  const PhaseInfo info = WithDeadline(question);
  if (info.phase == Phase::kRetryableFailure) {
    return AnswerRetryableV1(question, *info.error, counters, outcome);
  }
  if (info.phase == Phase::kPermanentFailure) {
    Answer("PermanentFailure", v1::Decision::FAIL, outcome);
    Explain(*info.error, outcome);
    // Permanent system failures are counted too.
    if (info.error->kind == ErrorKind::kSystem) ++counters.system_failures;
  } else {
    AnswerPhase(info, question.settings, outcome);
  }
  Count(counters.attempts, counters.system_failures, outcome);
}

void CountV2(const Question& question, std::int64_t attempts,
             std::int64_t system_failures, NativeOutcome& outcome) {
  Count(attempts, system_failures, outcome);
  (*outcome.verdict.mutable_counters())["interruptible"] =
      question.task.interruptible ? 1 : 0;
}

std::int64_t AttemptsV2(const Question& question) {
  return 1 + UsedOf(question.input.ledger, kUserBudget);
}

// recordSystemError: an error a plugin returned, or a failure of the system's.
void AnswerSystemErrorV2(const Question& question, const std::string& message,
                         NativeOutcome& outcome) {
  const std::int64_t configured = question.settings.max_system_failures;
  const std::int64_t limit = configured == 0 ? 3 : configured;
  // An object that was accepted has reset the count.
  const std::int64_t failures =
      1 + (question.task.is_launch
               ? Counted(TrailingUseOf(question.input.ledger, kSystemBudgetV2))
               : 0);
  CountV2(question, AttemptsV2(question), failures, outcome);
  if (failures > limit) {
    Answer("PermanentFailure", v1::Decision::FAIL, outcome);
    Explain(
        {"MaxSystemFailuresExceeded",
         absl::StrFormat("plugin \"%s\" failed with system error %d times: %s",
                         question.task.plugin, failures, message)},
        outcome);
  } else {
    Answer("RetryableFailure", v1::Decision::RETRY, outcome);
    Delay(absl::Seconds(10), outcome);
    if (outcome.verdict.message().empty()) outcome.verdict.set_message(message);
  }
  Charge(kSystemBudgetV2, failures, limit, outcome);
  if (!question.task.is_launch) {
    outcome.warnings.emplace_back(
        "Flyte 2 counts system failures in a row, and an accepted relaunch "
        "sets the count to 0: failures like this are retried without bound "
        "(flyteorg/flyte#7874)");
  }
}

void AnswerV2(const Question& question, NativeOutcome& outcome) {
  const PhaseResult& result = question.task.result;
  if (!result.ok()) {
    return AnswerSystemErrorV2(question, std::string(result.status().message()),
                               outcome);
  }
  if (!IsFailure(result->phase)) {
    return AnswerPhase(*result, question.settings, outcome);
  }
  const ExecutionError& error = *result->error;
  Explain(error, outcome);
  const bool is_retryable = result->phase == Phase::kRetryableFailure;
  if (is_retryable && error.kind == ErrorKind::kSystem) {
    return AnswerSystemErrorV2(
        question, absl::StrFormat("[%s] %s", error.code, error.message),
        outcome);
  }
  const std::int64_t attempts = AttemptsV2(question);
  const std::int64_t retries = question.settings.retries;
  const bool is_retried = is_retryable && attempts <= retries;
  CountV2(question, attempts + (is_retried ? 1 : 0), 0, outcome);
  if (is_retryable) Charge(kUserBudget, attempts, retries, outcome);
  if (is_retried)
    return Answer("RetryableFailure", v1::Decision::RETRY, outcome);
  Answer("PermanentFailure", v1::Decision::FAIL, outcome);
}

}  // namespace
}  // namespace flyte

std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input) {
  if (input.semantics.operator_() != "flyte" &&
      !flyte::HasFlyteMarks(input.report)) {
    return std::nullopt;
  }
  flyte::SettingsSetup setup = flyte::SettingsFor(input.semantics);
  const auto task =
      flyte::FindReportedTask(input.report, setup.settings, ToTime(input.now));
  if (!task.has_value()) return std::nullopt;
  NativeOutcome outcome;
  outcome.warnings = std::move(setup.warnings);
  outcome.warnings.insert(outcome.warnings.end(), task->warnings.begin(),
                          task->warnings.end());
  outcome.verdict.set_operator_("Flyte");
  outcome.verdict.set_semantics(std::move(setup.semantics));
  outcome.scope = task->is_pod ? v1::Decision::POD : v1::Decision::WORKLOAD;
  const flyte::Question question = {input, setup.settings, *task};
  if (setup.settings.rules.v2) {
    flyte::AnswerV2(question, outcome);
  } else {
    flyte::AnswerV1(question, outcome);
  }
  return outcome;
}

}  // namespace mulligan
