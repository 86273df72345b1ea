#include "policy/operators/flyte/budget.h"

#include <cstdint>
#include <optional>

namespace mulligan::flyte {
namespace {

bool ReachesThreshold(std::uint32_t failures, std::int32_t threshold,
                      std::uint32_t maximum) {
  // Adding a negative number modulo 2^32 is the peer's subtraction.
  const auto bound = static_cast<std::uint32_t>(threshold);
  return failures >= (threshold > 0 ? bound : maximum + bound);
}

}  // namespace

std::uint32_t MaxAttempts(const RetryBudget& budget) {
  return budget.min_attempts.value_or(1) == 1 ? budget.default_max_attempts
                                              : *budget.min_attempts;
}

bool PaidBySystem(const RetryBudget& budget, ErrorKind kind) {
  return !budget.ignore_retry_cause && kind == ErrorKind::kSystem;
}

Eligibility EligibleForRetry(const RetryBudget& budget,
                             const NodeAttempts& counters, ErrorKind kind) {
  Eligibility result;
  if (PaidBySystem(budget, kind)) {
    result.current = counters.system_failures;
    result.maximum = budget.max_system_retries;
  } else {
    result.current = counters.attempts + 1;
    if (!budget.ignore_retry_cause) result.current -= counters.system_failures;
    result.maximum = MaxAttempts(budget);
  }
  result.eligible = result.current < result.maximum;
  return result;
}

std::optional<std::int64_t> ComputeMinAttempts(std::int64_t node_retries,
                                               std::int64_t task_retries) {
  const std::int64_t retries = node_retries != 0 ? node_retries : task_retries;
  if (retries == 0) return std::nullopt;
  return retries + 1;
}

bool IsInterruptible(bool node_interruptible, const RetryBudget& budget,
                     const NodeAttempts& counters) {
  if (!node_interruptible) return false;
  if (budget.ignore_retry_cause) {
    return counters.attempts == 0 ||
           !ReachesThreshold(counters.attempts, budget.interruptible_threshold,
                             MaxAttempts(budget));
  }
  return !ReachesThreshold(counters.system_failures,
                           budget.interruptible_threshold,
                           budget.max_system_retries + 1);
}

}  // namespace mulligan::flyte
