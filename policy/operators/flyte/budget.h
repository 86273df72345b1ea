// Flyte 1's two budgets, and where the next attempt runs.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_

#include <cstdint>
#include <optional>

#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// The peer counts in uint32, and so do these: what goes below zero is huge.
struct RetryBudget {
  // One budget for all causes (RFC 3902).
  bool ignore_retry_cause = false;
  std::uint32_t default_max_attempts = 1;
  // The node's retryStrategy.minAttempts. Absent, or 1: the default.
  std::optional<std::uint32_t> min_attempts;
  // Retries, not runs.
  std::uint32_t max_system_retries = 3;
  // See IsInterruptible.
  std::int32_t interruptible_threshold = -1;
};

// Stored counters, before the failure at hand.
struct NodeAttempts {
  // Retries made so far, for any cause.
  std::uint32_t attempts = 0;
  std::uint32_t system_failures = 0;
};

// Runs that user failures may use up.
std::uint32_t MaxAttempts(const RetryBudget& budget);

// isEligibleForRetry. User failures are counted in runs, this one included;
// system failures in retries, without it.
struct Eligibility {
  std::uint32_t current = 0;
  std::uint32_t maximum = 0;
  bool eligible = false;
};
Eligibility EligibleForRetry(const RetryBudget& budget,
                             const NodeAttempts& counters, ErrorKind kind);

// Whether a failure of this kind is paid by the system budget. What is not
// SYSTEM is the user's.
bool PaidBySystem(const RetryBudget& budget, ErrorKind kind);

// computeRetryStrategy: minAttempts of a node. 0 retries mean unset, on both
// levels.
std::optional<std::int64_t> ComputeMinAttempts(std::int64_t node_retries,
                                               std::int64_t task_retries);

// IsInterruptible: whether the next run may use spot capacity, given that the
// node may. A threshold T above 0 is a number of failures; T of 0 or less
// keeps the last |T| possible runs off spot. |T| greater than all runs wraps
// around and never does.
bool IsInterruptible(bool node_interruptible, const RetryBudget& budget,
                     const NodeAttempts& counters);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_
