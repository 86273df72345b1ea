#include "policy/operators/flyte/v2_budget.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace mulligan::flyte {
namespace {

constexpr std::uint32_t kDefaultMaxSystemFailures = 3;

}  // namespace

std::uint32_t MaxSystemFailures(std::uint32_t configured) {
  return configured == 0 ? kDefaultMaxSystemFailures : configured;
}

bool IsNonRetryableCode(std::string_view code) {
  return code == "BadTaskSpecification" || code == "MetadataTooLarge";
}

bool IsSystemRetryableFailure(const PhaseInfo& info) {
  return info.phase == Phase::kRetryableFailure && info.error.has_value() &&
         info.error->kind == ErrorKind::kSystem;
}

std::string SystemErrorText(const PhaseInfo& info) {
  if (!info.error.has_value()) return "system retryable failure";
  return absl::StrFormat("[%s] %s", info.error->code, info.error->message);
}

TaskActionVerdict RecordSystemError(const SystemError& error,
                                    const TaskActionCounters& counters,
                                    std::uint32_t max_system_failures) {
  TaskActionVerdict verdict;
  verdict.counters = counters;
  if (IsNonRetryableCode(error.code)) {
    verdict.terminal = true;
    verdict.error = {error.code, error.message, ErrorKind::kUser};
    return verdict;
  }
  std::uint32_t& failures = verdict.counters.system_failures;
  if (failures != std::numeric_limits<std::uint32_t>::max()) ++failures;
  if (failures > MaxSystemFailures(max_system_failures)) {
    verdict.terminal = true;
    verdict.error = {
        "MaxSystemFailuresExceeded",
        absl::StrFormat("plugin \"%s\" failed with system error %d times: %s",
                        error.plugin, failures, error.message),
        ErrorKind::kSystem};
    return verdict;
  }
  verdict.requeue_after = absl::Seconds(10);
  return verdict;
}

TaskActionVerdict RecordUserFailure(const PhaseInfo& failure,
                                    const TaskActionCounters& counters,
                                    std::uint32_t max_attempts) {
  TaskActionVerdict verdict;
  verdict.counters = {counters.attempts, 0};
  if (failure.phase == Phase::kRetryableFailure &&
      counters.attempts < max_attempts) {
    ++verdict.counters.attempts;
    return verdict;
  }
  verdict.terminal = true;
  verdict.error = failure.error;
  return verdict;
}

bool IsInterruptibleV2(std::optional<bool> run, std::optional<bool> task,
                       bool task_level) {
  if (run.has_value()) return *run;
  return task_level && task.value_or(false);
}

}  // namespace mulligan::flyte
