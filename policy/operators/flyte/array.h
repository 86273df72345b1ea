// Map tasks: what failed elements make of the whole.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_ARRAY_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_ARRAY_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/operators/flyte/budget.h"
#include "policy/operators/flyte/node.h"
#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// v1alpha1.ArrayNodePhase while elements run.
enum class ArrayPhase { kExecuting, kSucceeding, kFailing };
std::string_view ArrayPhaseName(ArrayPhase phase);

// How many elements must succeed. Absent: all.
struct ArrayDemand {
  std::optional<std::int64_t> min_successes;
  std::optional<double> min_success_ratio;
};

// Array node: it fails as soon as too few elements can still succeed, and
// succeeds when enough have and none is under way.
ArrayPhase AggregateElements(const std::vector<NodePhase>& elements,
                             const ArrayDemand& demand);

// Runs of an element whose every run fails retryably with `kind`.
std::uint32_t RunsUntilFailing(const RetryBudget& budget, ErrorKind kind);

// Legacy array plugin: whether it creates the element's pod in this round.
bool IsLegacyElementLaunched(Phase existing);
// What becomes of such an element: it waits unless the resource manager grants
// it its place.
Phase LegacyLaunchPhase(bool is_granted);

// The same plugin: one limit for all causes; a retryable failure of the last
// attempt is permanent.
Phase LegacyElementPhase(Phase observed, std::int64_t retry_attempt,
                         std::int64_t max_attempts);

// arrayCore.Phase of an array that needs all its elements, all in `phase`.
std::string_view LegacyArrayPhaseName(Phase phase);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_ARRAY_H_
