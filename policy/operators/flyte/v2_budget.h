// Flyte 2's budgets: attempts of the user, consecutive failures of the system.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_V2_BUDGET_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_V2_BUDGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// Status of a TaskAction, before the failure at hand.
struct TaskActionCounters {
  // 1 for the first run.
  std::uint32_t attempts = 1;
  // In a row: any verdict that is not a system failure sets it to 0, also the
  // Queued of a relaunch.
  std::uint32_t system_failures = 0;
};

// 0 means the default, 3.
std::uint32_t MaxSystemFailures(std::uint32_t configured);

// Codes that fail a task at once, as the user's fault.
bool IsNonRetryableCode(std::string_view code);

// isSystemRetryableFailure.
bool IsSystemRetryableFailure(const PhaseInfo& info);

// systemErrorFromPhaseInfo: a system failure in words, "[code] message".
std::string SystemErrorText(const PhaseInfo& info);

// An error a plugin returned, or a system failure it reported.
struct SystemError {
  std::string plugin;
  // Flyte's code of the cause; empty: none.
  std::string code;
  std::string message;
};

// What becomes of the TaskAction.
struct TaskActionVerdict {
  TaskActionCounters counters;
  bool terminal = false;
  // Set when terminal.
  std::optional<ExecutionError> error;
  // 0: at once, or never when terminal.
  absl::Duration requeue_after;
};

// recordSystemError.
TaskActionVerdict RecordSystemError(const SystemError& error,
                                    const TaskActionCounters& counters,
                                    std::uint32_t max_system_failures);

// A failure that is not the system's. `max_attempts` is retries + 1.
TaskActionVerdict RecordUserFailure(const PhaseInfo& failure,
                                    const TaskActionCounters& counters,
                                    std::uint32_t max_attempts);

// Whether a run may use spot capacity. The run's own word goes first; the
// task's counts only with `task_level` (#7885).
bool IsInterruptibleV2(std::optional<bool> run, std::optional<bool> task,
                       bool task_level);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_V2_BUDGET_H_
