#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/operators/flyte/budget.h"
#include "policy/operators/flyte/node.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/quota.h"
#include "policy/operators/flyte/report.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/v2_budget.h"
#include "policy/operators/kubernetes_time.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace flyte {
namespace {

// Budgets, by the names of Flyte's settings.
constexpr std::string_view kUserBudget = "retries";
constexpr std::string_view kSystemBudgetV1 = "max-node-retries-system-failures";
constexpr std::string_view kSystemBudgetV2 = "max-system-failures";
constexpr std::string_view kWorkflowBudget = "max-workflow-retries";

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

std::uint32_t Counter(std::int64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, kMost));
}

std::int64_t UsedOf(const v1::BudgetLedger& ledger, std::string_view budget) {
  const auto found = ledger.budgets().find(std::string(budget));
  if (found == ledger.budgets().end()) return 0;
  return std::clamp<std::int64_t>(found->second.used(), 0, kMost);
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

class TaskOutcome {
 public:
  TaskOutcome(const NativeInput& input, SettingsSetup setup, ReportedTask task)
      : input_(input),
        settings_(setup.settings),
        task_(std::move(task)),
        now_(job::TimeOf(input.now)) {
    outcome_.warnings = std::move(setup.warnings);
    for (std::string& warning : task_.warnings) Warn(std::move(warning));
    outcome_.verdict.set_operator_("Flyte");
    outcome_.verdict.set_semantics(std::move(setup.semantics));
    outcome_.scope = task_.is_pod ? v1::Decision::POD : v1::Decision::WORKLOAD;
  }

  NativeOutcome Run() && {
    if (settings_.rules.v2) {
      RunV2();
    } else {
      RunV1();
    }
    return std::move(outcome_);
  }

 private:
  void Warn(std::string warning) {
    outcome_.warnings.push_back(std::move(warning));
  }

  void Answer(std::string_view word, v1::Decision::Action action) {
    outcome_.verdict.set_verdict(std::string(word));
    outcome_.action = action;
    if (action == v1::Decision::RETRY) outcome_.queue = v1::Decision::IN_PLACE;
  }

  void Explain(const ExecutionError& error) {
    outcome_.verdict.set_reason(error.code);
    outcome_.verdict.set_message(error.message);
  }

  // `used` with this failure, `limit` without the first run.
  void Charge(std::string_view budget, std::int64_t used, std::int64_t limit) {
    outcome_.charged_to = std::string(budget);
    outcome_.used = used;
    outcome_.limit = std::max<std::int64_t>(0, limit);
  }

  void Count(const char* counter, std::int64_t value) {
    (*outcome_.verdict.mutable_counters())[counter] = CountOf(value);
  }

  void Delay(absl::Duration delay) {
    auto& field = *outcome_.verdict.mutable_delay();
    const auto parts = job::TimestampOf(absl::UnixEpoch() + delay);
    field.set_seconds(parts.seconds());
    field.set_nanos(parts.nanos());
  }

  // Nothing has failed.
  void AnswerPhase(const PhaseInfo& info) {
    const bool over = info.phase == Phase::kSuccess ||
                      info.phase == Phase::kAborted ||
                      info.phase == Phase::kRunning;
    Answer(PhaseName(info.phase),
           over ? v1::Decision::IGNORE : v1::Decision::WAIT);
    outcome_.verdict.set_message(info.reason);
    if (info.phase == Phase::kSuccess) {
      Warn(
          "the task's error file decides now, which is not in the report: it "
          "may say that the task has failed");
    }
    if (info.phase == Phase::kWaitingForResources) {
      // How often it waited before is in Flyte's memory only.
      Delay(NextQuotaBackoff(0, settings_.backoff_base_seconds,
                             settings_.backoff_max_duration)
                .delay);
    }
  }

  RetryBudget BudgetV1() const {
    RetryBudget budget;
    budget.ignore_retry_cause = settings_.ignore_retry_cause;
    budget.default_max_attempts = Counter(settings_.default_max_attempts);
    if (const auto attempts = ComputeMinAttempts(0, settings_.retries)) {
      budget.min_attempts = Counter(*attempts);
    }
    budget.max_system_retries =
        Counter(settings_.max_node_retries_system_failures);
    budget.interruptible_threshold =
        static_cast<std::int32_t>(settings_.interruptible_failure_threshold);
    return budget;
  }

  NodeAttempts CountersV1() {
    NodeAttempts counters;
    counters.attempts = Counter(input_.report.has_attempt()
                                    ? input_.report.attempt() - std::int64_t{1}
                                    : input_.ledger.attempts_seen());
    counters.system_failures = Counter(UsedOf(input_.ledger, kSystemBudgetV1));
    if (counters.system_failures > counters.attempts) {
      Warn(absl::StrFormat(
          "the ledger counts %d system failures in %d attempts; the attempts "
          "are taken as these failures",
          counters.system_failures, counters.attempts));
      counters.attempts = counters.system_failures;
    }
    return counters;
  }

  NodeClocks Clocks() {
    NodeClocks clocks;
    clocks.active_deadline = settings_.node_active_deadline;
    clocks.execution_deadline = settings_.node_execution_deadline;
    if (task_.created.has_value()) clocks.since_attempt = now_ - *task_.created;
    if (clocks.active_deadline > absl::ZeroDuration()) {
      Warn(
          "settings.flyte.node-active-deadline: when the node was queued is "
          "not in the report, so the deadline is not applied");
    }
    return clocks;
  }

  void RunV1() {
    const auto handled =
        task_.result.ok()
            ? HandlerResultOf(*task_.result)
            : absl::StatusOr<HandlerResult>(task_.result.status());
    if (!handled.ok()) return AnswerFruitlessRound(handled.status());
    const RetryBudget budget = BudgetV1();
    const NodeAttempts counters = CountersV1();
    const HandlerResult in_time = ApplyDeadlines(*handled, Clocks());
    const HandlerResult result =
        ExecuteRound(in_time, NodeClocks(), budget, counters);
    const NodeState next =
        AfterCleanUp(AfterRound({NodePhase::kRunning, counters}, result));
    Count("attempts", next.counters.attempts);
    Count("systemFailures", next.counters.system_failures);
    if (result.phase == HandlerPhase::kRetryableFailure) {
      Answer("RetryableFailure", v1::Decision::RETRY);
      ChargeV1(budget, counters, result.error->kind);
      const bool interruptible =
          IsInterruptible(task_.interruptible, budget, next.counters);
      Count("interruptible", interruptible ? 1 : 0);
      outcome_.on_demand = task_.interruptible && !interruptible;
    } else if (result.phase == HandlerPhase::kTimedOut) {
      Answer("TimedOut", v1::Decision::FAIL);
    } else if (result.phase == HandlerPhase::kFailed) {
      AnswerFailedV1(in_time, budget, counters);
    } else {
      return AnswerPhase(*task_.result);
    }
    outcome_.verdict.set_message(result.reason);
    if (result.error.has_value()) Explain(*result.error);
  }

  void AnswerFailedV1(const HandlerResult& handled, const RetryBudget& budget,
                      const NodeAttempts& counters) {
    if (handled.phase == HandlerPhase::kFailed) {
      return Answer("PermanentFailure", v1::Decision::FAIL);
    }
    // Out of retries, or out of time and then out of retries.
    Answer("Failing", v1::Decision::FAIL);
    ChargeV1(
        budget, counters,
        handled.error.has_value() ? handled.error->kind : ErrorKind::kUser);
  }

  void ChargeV1(const RetryBudget& budget, const NodeAttempts& counters,
                ErrorKind kind) {
    const Eligibility retry = EligibleForRetry(budget, counters, kind);
    if (PaidBySystem(budget, kind)) {
      return Charge(kSystemBudgetV1, std::int64_t{retry.current} + 1,
                    retry.maximum);
    }
    Charge(kUserBudget, retry.current, std::int64_t{retry.maximum} - 1);
  }

  // The round is discarded; no budget of the node pays.
  void AnswerFruitlessRound(const absl::Status& error) {
    const std::int64_t used =
        UsedOf(input_.ledger, kWorkflowBudget) + std::int64_t{1};
    const bool spent = used > settings_.max_workflow_retries;
    Answer("Error", spent ? v1::Decision::FAIL : v1::Decision::RETRY);
    outcome_.verdict.set_message(std::string(error.message()));
    Charge(kWorkflowBudget, used, settings_.max_workflow_retries);
    Warn(
        "the round comes to nothing and is repeated at once; the whole "
        "workflow pays, and is aborted when it has too many");
  }

  void RunV2() {
    if (!task_.result.ok()) {
      const bool bad_task = absl::IsInvalidArgument(task_.result.status());
      return AnswerSystemError({task_.plugin,
                                bad_task ? "BadTaskSpecification" : "",
                                std::string(task_.result.status().message())});
    }
    const PhaseInfo& info = *task_.result;
    if (IsSystemRetryableFailure(info)) {
      Explain(*info.error);
      return AnswerSystemError({task_.plugin, "", SystemErrorText(info)});
    }
    if (!IsFailure(info.phase)) return AnswerPhase(info);
    const TaskActionCounters counters = CountersV2();
    const std::uint32_t max_attempts = Counter(settings_.retries + 1);
    const auto verdict = RecordUserFailure(info, counters, max_attempts);
    Explain(*info.error);
    CountV2(verdict.counters);
    if (info.phase == Phase::kRetryableFailure) {
      Charge(kUserBudget, counters.attempts, std::int64_t{max_attempts} - 1);
    }
    Answer(verdict.terminal ? "PermanentFailure" : "RetryableFailure",
           verdict.terminal ? v1::Decision::FAIL : v1::Decision::RETRY);
  }

  TaskActionCounters CountersV2() const {
    TaskActionCounters counters;
    counters.attempts = 1 + Counter(UsedOf(input_.ledger, kUserBudget));
    // An object that was accepted has reset the count.
    if (task_.is_launch) {
      counters.system_failures =
          Counter(TrailingUseOf(input_.ledger, kSystemBudgetV2));
    }
    return counters;
  }

  void CountV2(const TaskActionCounters& counters) {
    Count("attempts", counters.attempts);
    Count("systemFailures", counters.system_failures);
    Count("interruptible",
          IsInterruptibleV2(task_.interruptible, std::nullopt,
                            settings_.rules.task_level_interruptible)
              ? 1
              : 0);
  }

  void AnswerSystemError(const SystemError& error) {
    const std::uint32_t most =
        MaxSystemFailures(Counter(settings_.max_system_failures));
    const auto verdict = RecordSystemError(error, CountersV2(), most);
    CountV2(verdict.counters);
    if (verdict.terminal) {
      Answer("PermanentFailure", v1::Decision::FAIL);
      Explain(*verdict.error);
    } else {
      Answer("RetryableFailure", v1::Decision::RETRY);
      Delay(verdict.requeue_after);
      if (outcome_.verdict.message().empty()) {
        outcome_.verdict.set_message(error.message);
      }
    }
    if (IsNonRetryableCode(error.code)) return;
    Charge(kSystemBudgetV2, verdict.counters.system_failures, most);
    if (!task_.is_launch) {
      Warn(
          "Flyte 2 counts system failures in a row, and an accepted relaunch "
          "sets the count to 0: failures like this are retried without bound "
          "(flyteorg/flyte#7874)");
    }
  }

  const NativeInput& input_;
  const Settings settings_;
  ReportedTask task_;
  const absl::Time now_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace flyte

std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input) {
  if (input.semantics.operator_() != "flyte" &&
      !flyte::HasFlyteMarks(input.report)) {
    return std::nullopt;
  }
  flyte::SettingsSetup setup = flyte::SettingsFor(input.semantics);
  auto task = flyte::FindReportedTask(input.report, setup.settings,
                                      job::TimeOf(input.now));
  if (!task.has_value()) return std::nullopt;
  return flyte::TaskOutcome(input, std::move(setup), *std::move(task)).Run();
}

}  // namespace mulligan
