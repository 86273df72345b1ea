// One round of Flyte 1's node executor: deadlines, budgets, transitions.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_NODE_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_NODE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/budget.h"
#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// handler.EPhase.
enum class HandlerPhase {
  kUndefined,
  kNotReady,
  kQueued,
  kRunning,
  kSkip,
  kFailed,
  kSuccess,
  kRetryableFailure,
  kTimedOut,
  kFailing,
  kDynamicRunning,
  kRecovered,
};
std::string_view HandlerPhaseName(HandlerPhase phase);
std::optional<HandlerPhase> HandlerPhaseNamed(std::string_view name);

// v1alpha1.NodePhase.
enum class NodePhase {
  kNotYetStarted,
  kQueued,
  kRunning,
  kFailing,
  kSucceeding,
  kSucceeded,
  kFailed,
  kSkipped,
  kTimingOut,
  kTimedOut,
  kDynamicRunning,
  kRetryableFailure,
  kRecovered,
};
std::string_view NodePhaseName(NodePhase phase);
std::optional<NodePhase> NodePhaseNamed(std::string_view name);

// What a handler, and then the executor, makes of a round.
struct HandlerResult {
  HandlerPhase phase = HandlerPhase::kUndefined;
  std::string reason;
  // Set for failures.
  std::optional<ExecutionError> error;
};

// The task handler's words for a plugin's phase. An error for Undefined.
absl::StatusOr<HandlerResult> HandlerResultOf(const PhaseInfo& info);

// Clocks of a node. A deadline of 0 or less is none.
struct NodeClocks {
  // Since it was queued, never reset. Absent: unknown.
  std::optional<absl::Duration> since_queued;
  // Since the attempt entered Running. Absent: unknown.
  std::optional<absl::Duration> since_attempt;
  // The node's own, or the platform's where it has none.
  absl::Duration active_deadline;
  absl::Duration execution_deadline;
};

// The deadlines of nodeExecutor.execute: what is not over becomes TimedOut when
// the active one has passed, else a user's retryable failure when that of the
// attempt has.
HandlerResult ApplyDeadlines(HandlerResult handled, const NodeClocks& clocks);

// nodeExecutor.execute after the handler: the deadlines, then the budgets
// decide whether a retryable failure is one.
HandlerResult ExecuteRound(HandlerResult handled, const NodeClocks& clocks,
                           const RetryBudget& budget,
                           const NodeAttempts& counters);

// A node after a round.
struct NodeState {
  NodePhase phase = NodePhase::kNotYetStarted;
  NodeAttempts counters;
};

// How the next phase follows from a round's result, and a phase that is passed
// without the handler from the one before. An error leaves the node as it is.
NodeState AfterRound(NodeState state, const HandlerResult& result);
NodeState AfterCleanUp(NodeState state);
// Whether the phase is left without asking the handler again.
bool NeedsCleanUp(NodePhase phase);
// Whether nothing ever changes.
bool IsEnd(NodePhase phase);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_NODE_H_
