#include "policy/operators/flyte/budget.h"

#include <cstdint>

namespace mulligan::flyte {
namespace {

// Runs that user failures may use up. 0 retries mean unset.
std::int64_t MaxAttempts(const Settings& settings) {
  return settings.retries > 0 ? settings.retries + 1
                              : settings.default_max_attempts;
}

}  // namespace

Eligibility EligibleForRetry(const Settings& settings,
                             const NodeCounters& counters, ErrorKind kind) {
  if (settings.ignore_retry_cause) {
    return {false, counters.attempts + 1, MaxAttempts(settings)};
  }
  if (kind == ErrorKind::kSystem) {
    return {true, counters.system_failures,
            settings.max_node_retries_system_failures};
  }
  return {false, counters.attempts + 1 - counters.system_failures,
          MaxAttempts(settings)};
}

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

}  // namespace mulligan::flyte
