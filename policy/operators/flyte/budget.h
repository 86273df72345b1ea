// Flyte 1's two budgets, and where the next attempt runs.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_

#include <cstdint>

#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"

namespace mulligan::flyte {

// A node's stored counters: retries made so far for any cause, and those of
// them that were the system's.
struct NodeCounters {
  std::int64_t attempts = 0;
  std::int64_t system_failures = 0;
};

// isEligibleForRetry. User failures are counted in runs, this one included;
// system failures in retries, without it.
struct Eligibility {
  // The system budget pays; what is not SYSTEM is the user's.
  bool by_system = false;
  std::int64_t current = 0;
  std::int64_t maximum = 0;

  bool IsGranted() const { return current < maximum; }
};
Eligibility EligibleForRetry(const Settings& settings,
                             const NodeCounters& counters, ErrorKind kind);

// IsInterruptible: whether the next run may use spot capacity, given that the
// node may. A threshold T above 0 is a number of failures; T of 0 or less
// keeps the last |T| possible runs off spot. |T| greater than all runs wraps
// around in the peer's unsigned numbers and never does.
bool MayUseSpot(const Settings& settings, const NodeCounters& counters);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_BUDGET_H_
