#include "policy/operators/flyte/array.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mulligan::flyte {
namespace {

constexpr std::array<std::string_view, 3> kArrayPhases = {
    "Executing", "Succeeding", "Failing"};

std::int64_t Demanded(const ArrayDemand& demand, std::int64_t size) {
  if (demand.min_successes.has_value()) return *demand.min_successes;
  if (!demand.min_success_ratio.has_value()) return size;
  return static_cast<std::int64_t>(
      std::ceil(*demand.min_success_ratio * static_cast<double>(size)));
}

}  // namespace

std::string_view ArrayPhaseName(ArrayPhase phase) {
  return kArrayPhases[static_cast<std::size_t>(phase)];
}

ArrayPhase AggregateElements(const std::vector<NodePhase>& elements,
                             const ArrayDemand& demand) {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t under_way = 0;
  for (const NodePhase phase : elements) {
    if (phase == NodePhase::kSucceeded || phase == NodePhase::kRecovered ||
        phase == NodePhase::kSkipped) {
      ++succeeded;
    } else if (phase == NodePhase::kFailed || phase == NodePhase::kTimedOut) {
      ++failed;
    } else {
      ++under_way;
    }
  }
  const auto size = static_cast<std::int64_t>(elements.size());
  const std::int64_t demanded = Demanded(demand, size);
  if (size - failed < demanded) return ArrayPhase::kFailing;
  return succeeded >= demanded && under_way == 0 ? ArrayPhase::kSucceeding
                                                 : ArrayPhase::kExecuting;
}

std::uint32_t RunsUntilFailing(const RetryBudget& budget, ErrorKind kind) {
  NodeState state = {NodePhase::kRunning, {}};
  std::uint32_t runs = 1;
  const HandlerResult failure = {HandlerPhase::kRetryableFailure, "",
                                 ExecutionError{"", "", kind}};
  for (;; ++runs) {
    const HandlerResult result =
        ExecuteRound(failure, NodeClocks(), budget, state.counters);
    if (result.phase != HandlerPhase::kRetryableFailure) return runs;
    state = AfterCleanUp(AfterRound(state, result));
  }
}

bool IsLegacyElementLaunched(Phase existing) {
  return existing == Phase::kUndefined ||
         existing == Phase::kWaitingForResources ||
         existing == Phase::kRetryableFailure;
}

Phase LegacyLaunchPhase(bool is_granted) {
  return is_granted ? Phase::kQueued : Phase::kWaitingForResources;
}

Phase LegacyElementPhase(Phase observed, std::int64_t retry_attempt,
                         std::int64_t max_attempts) {
  return observed == Phase::kRetryableFailure &&
                 retry_attempt + 1 >= max_attempts
             ? Phase::kPermanentFailure
             : observed;
}

std::string_view LegacyArrayPhaseName(Phase phase) {
  if (phase == Phase::kPermanentFailure) return "PhaseAbortSubTasks";
  return phase == Phase::kSuccess ? "PhaseWriteToDiscovery"
                                  : "PhaseCheckingSubTaskExecutions";
}

}  // namespace mulligan::flyte
