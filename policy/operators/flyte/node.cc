#include "policy/operators/flyte/node.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/names.h"
#include "policy/operators/flyte/text.h"

namespace mulligan::flyte {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 12> kHandlerPhases = {
    "Undefined", "NotReady", "Queued",         "Running",
    "Skip",      "Failed",   "Success",        "RetryableFailure",
    "TimedOut",  "Failing",  "DynamicRunning", "Recovered"};
constexpr std::array<std::string_view, 13> kNodePhases = {
    "NotYetStarted",  "Queued",           "Running",  "Failing",   "Succeeding",
    "Succeeded",      "Failed",           "Skipped",  "TimingOut", "TimedOut",
    "DynamicRunning", "RetryableFailure", "Recovered"};

// ToNodePhase; Undefined and NotReady leave the node where it is.
struct PhaseRow {
  HandlerPhase handler;
  NodePhase node;
};
constexpr std::array<PhaseRow, 10> kTransitions = {{
    {HandlerPhase::kQueued, NodePhase::kQueued},
    {HandlerPhase::kRunning, NodePhase::kRunning},
    {HandlerPhase::kSkip, NodePhase::kSkipped},
    {HandlerPhase::kFailed, NodePhase::kFailing},
    {HandlerPhase::kFailing, NodePhase::kFailing},
    {HandlerPhase::kSuccess, NodePhase::kSucceeding},
    {HandlerPhase::kRetryableFailure, NodePhase::kRetryableFailure},
    {HandlerPhase::kTimedOut, NodePhase::kTimingOut},
    {HandlerPhase::kDynamicRunning, NodePhase::kDynamicRunning},
    {HandlerPhase::kRecovered, NodePhase::kRecovered},
}};

struct CleanUpRow {
  NodePhase from;
  NodePhase to;
};
constexpr std::array<CleanUpRow, 4> kCleanUps = {{
    {NodePhase::kFailing, NodePhase::kFailed},
    {NodePhase::kSucceeding, NodePhase::kSucceeded},
    {NodePhase::kTimingOut, NodePhase::kTimedOut},
    {NodePhase::kRetryableFailure, NodePhase::kRunning},
}};

struct HandledRow {
  Phase plugin;
  HandlerPhase handler;
};
// Any other phase of a plugin is Running.
constexpr std::array<HandledRow, 3> kHandled = {{
    {Phase::kSuccess, HandlerPhase::kSuccess},
    {Phase::kRetryableFailure, HandlerPhase::kRetryableFailure},
    {Phase::kPermanentFailure, HandlerPhase::kFailed},
}};

bool IsOver(HandlerPhase phase) {
  return phase == HandlerPhase::kFailed || phase == HandlerPhase::kSuccess ||
         phase == HandlerPhase::kSkip || phase == HandlerPhase::kTimedOut ||
         phase == HandlerPhase::kRecovered;
}

bool IsExpired(const std::optional<absl::Duration>& elapsed,
               absl::Duration deadline) {
  return deadline > absl::ZeroDuration() && elapsed.has_value() &&
         *elapsed > deadline;
}

}  // namespace

std::string_view HandlerPhaseName(HandlerPhase phase) {
  return kHandlerPhases[static_cast<std::size_t>(phase)];
}

std::optional<HandlerPhase> HandlerPhaseNamed(std::string_view name) {
  return EnumNamed<HandlerPhase>(kHandlerPhases, name);
}

std::string_view NodePhaseName(NodePhase phase) {
  return kNodePhases[static_cast<std::size_t>(phase)];
}

std::optional<NodePhase> NodePhaseNamed(std::string_view name) {
  return EnumNamed<NodePhase>(kNodePhases, name);
}

absl::StatusOr<HandlerResult> HandlerResultOf(const PhaseInfo& info) {
  if (info.phase == Phase::kUndefined) {
    return absl::UnknownError(
        "error converting plugin phase, received [Undefined]");
  }
  HandlerResult result = {HandlerPhase::kRunning, info.reason, info.error};
  for (const HandledRow& row : kHandled) {
    if (row.plugin == info.phase) result.phase = row.handler;
  }
  return result;
}

HandlerResult ApplyDeadlines(HandlerResult handled, const NodeClocks& clocks) {
  if (IsOver(handled.phase)) return handled;
  if (IsExpired(clocks.since_queued, clocks.active_deadline)) {
    return {HandlerPhase::kTimedOut,
            absl::StrFormat("task active timeout [%s] expired",
                            GoDuration(clocks.active_deadline)),
            std::nullopt};
  }
  if (IsExpired(clocks.since_attempt, clocks.execution_deadline)) {
    const std::string message =
        absl::StrFormat("task execution timeout [%s] expired",
                        GoDuration(clocks.execution_deadline));
    return {HandlerPhase::kRetryableFailure, message,
            ExecutionError{"TimeoutExpired", message, ErrorKind::kUser}};
  }
  return handled;
}

HandlerResult ExecuteRound(HandlerResult handled, const NodeClocks& clocks,
                           const RetryBudget& budget,
                           const NodeAttempts& counters) {
  handled = ApplyDeadlines(std::move(handled), clocks);
  if (handled.phase != HandlerPhase::kRetryableFailure) return handled;
  const ExecutionError error = handled.error.value_or(ExecutionError());
  const Eligibility retry = EligibleForRetry(budget, counters, error.kind);
  if (retry.eligible) return handled;
  const std::string message = absl::StrFormat(
      "[%d/%d] currentAttempt done. Last Error: %s::%s", retry.current,
      retry.maximum, KindName(error.kind), error.message);
  return {HandlerPhase::kFailed, message,
          ExecutionError{absl::StrCat("RetriesExhausted|", error.code), message,
                         ErrorKind::kUser}};
}

NodeState AfterRound(NodeState state, const HandlerResult& result) {
  for (const PhaseRow& row : kTransitions) {
    if (row.handler == result.phase) state.phase = row.node;
  }
  // Permanent system failures are counted too.
  if (result.error.has_value() && result.error->kind == ErrorKind::kSystem) {
    ++state.counters.system_failures;
  }
  return state;
}

NodeState AfterCleanUp(NodeState state) {
  for (const CleanUpRow& row : kCleanUps) {
    if (row.from != state.phase) continue;
    if (row.from == NodePhase::kRetryableFailure) ++state.counters.attempts;
    state.phase = row.to;
    break;
  }
  return state;
}

bool NeedsCleanUp(NodePhase phase) {
  return std::any_of(kCleanUps.begin(), kCleanUps.end(),
                     [&](const CleanUpRow& row) { return row.from == phase; });
}

bool IsEnd(NodePhase phase) {
  return phase == NodePhase::kSucceeded || phase == NodePhase::kFailed ||
         phase == NodePhase::kSkipped || phase == NodePhase::kTimedOut ||
         phase == NodePhase::kRecovered;
}

}  // namespace mulligan::flyte
