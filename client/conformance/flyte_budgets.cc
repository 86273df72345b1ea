#include "client/conformance/flyte_budgets.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/native/flyte_budget.h"
#include "policy/native/flyte_node.h"
#include "policy/native/flyte_text.h"
#include "policy/native/flyte_v2_budget.h"

namespace mulligan::conformance {
namespace {

using flyte::HandlerPhase;

std::optional<bool> OptionalFlag(const std::string& name, Members& input) {
  if (!input.Has(name)) return std::nullopt;
  return input.Flag(name);
}

HandlerPhase HandlerPhaseFrom(Members& input) {
  const std::string name = input.Text("handlerPhase", "Undefined");
  const auto phase = flyte::HandlerPhaseNamed(name);
  if (!phase.has_value()) {
    input.Note(absl::UnimplementedError(
        absl::StrFormat("input.handlerPhase: '%s' is not understood", name)));
  }
  return phase.value_or(HandlerPhase::kUndefined);
}

flyte::HandlerResult HandledFrom(Members& input) {
  flyte::HandlerResult handled = {HandlerPhaseFrom(input), "", std::nullopt};
  if (input.Has("error") || handled.phase == HandlerPhase::kFailed ||
      handled.phase == HandlerPhase::kRetryableFailure) {
    handled.error = ExecutionErrorFrom(input.Get("error"), input);
  }
  return handled;
}

// The error a handler or clean-up returned: its text, or true.
std::optional<std::string> ReturnedError(const std::string& name,
                                         Members& input) {
  const Json& error = input.Get(name);
  if (error.is_string()) return error.get<std::string>();
  if (error == Json(true)) return name;
  return std::nullopt;
}

absl::Duration DeadlineFrom(const std::string& own, const std::string& platform,
                            Members& input) {
  const absl::Duration otherwise = input.Duration(platform);
  const absl::Duration deadline = input.Duration(own);
  return deadline > absl::ZeroDuration() ? deadline : otherwise;
}

flyte::NodeClocks ClocksFrom(Members& input) {
  flyte::NodeClocks clocks;
  if (input.Has("elapsedSinceQueued")) {
    clocks.since_queued = input.Duration("elapsedSinceQueued");
  }
  if (input.Has("elapsedSinceAttemptStart")) {
    clocks.since_attempt = input.Duration("elapsedSinceAttemptStart");
  }
  clocks.active_deadline =
      DeadlineFrom("activeDeadline", "defaultActiveDeadline", input);
  clocks.execution_deadline =
      DeadlineFrom("executionDeadline", "defaultExecutionDeadline", input);
  return clocks;
}

void AddError(const std::optional<flyte::ExecutionError>& error, Json& facts) {
  facts["code"] = facts["kind"] = facts["message"] = Json();
  if (!error.has_value()) return;
  facts["code"] = error->code;
  facts["kind"] = flyte::KindName(error->kind);
  facts["message"] = error->message;
}

}  // namespace

Json EligibleFacts(FlyteCase& test) {
  const flyte::RetryBudget budget = RetryBudgetFrom(test.input);
  const flyte::NodeAttempts counters = NodeAttemptsFrom(test.input);
  const flyte::ErrorKind kind = test.input.Kind("errorKind");
  const auto retry = flyte::EligibleForRetry(budget, counters, kind);
  flyte::HandlerResult failure = {HandlerPhase::kRetryableFailure, "",
                                  flyte::ExecutionError{"", "", kind}};
  const auto next = flyte::ExecuteRound(std::move(failure), flyte::NodeClocks(),
                                        budget, counters);
  return {{"eligible", retry.eligible},
          {"nextState", flyte::HandlerPhaseName(next.phase)},
          {"reportedCurrent", retry.current},
          {"reportedMax", retry.maximum}};
}

Json InterruptibleFacts(FlyteCase& test) {
  Members& input = test.input;
  bool interruptible = false;
  if (test.settings.rules.v2) {
    interruptible = flyte::IsInterruptibleV2(
        OptionalFlag("runLevel", input), OptionalFlag("taskLevel", input),
        test.settings.rules.task_level_interruptible);
  } else {
    // The node's own word goes before the execution's.
    const bool execution = input.Flag("executionInterruptible");
    interruptible =
        flyte::IsInterruptible(input.Flag("nodeInterruptible", execution),
                               RetryBudgetFrom(input), NodeAttemptsFrom(input));
  }
  return {{"runOnInterruptible", interruptible},
          {"interruptible", interruptible}};
}

Json RetryStrategyFacts(FlyteCase& test) {
  const auto attempts = flyte::ComputeMinAttempts(
      test.input.Number("nodeRetries"), test.input.Number("taskRetries"));
  return {{"minAttempts", attempts.has_value() ? Json(*attempts) : Json()}};
}

Json ExecuteFacts(FlyteCase& test) {
  Members& input = test.input;
  const flyte::RetryBudget budget = RetryBudgetFrom(input);
  const flyte::NodeAttempts counters = NodeAttemptsFrom(input);
  const flyte::NodeClocks clocks = ClocksFrom(input);
  flyte::HandlerResult handled = HandledFrom(input);
  if (const auto error = ReturnedError("handlerError", input)) {
    return {{"nodePhase", "Undefined"}, {"error", *error}};
  }
  const auto result =
      flyte::ExecuteRound(std::move(handled), clocks, budget, counters);
  const flyte::NodeState after =
      flyte::AfterRound({flyte::NodePhase::kRunning, counters}, result);
  Json facts = {{"nodePhase", flyte::HandlerPhaseName(result.phase)},
                {"reason", result.reason},
                {"error", nullptr},
                {"attempts", after.counters.attempts},
                {"systemFailures", after.counters.system_failures}};
  AddError(result.error, facts);
  return facts;
}

Json TransitionFacts(FlyteCase& test) {
  Members& input = test.input;
  const std::string name = input.Text("current");
  const auto current = flyte::NodePhaseNamed(name);
  if (!current.has_value()) {
    input.Note(absl::UnimplementedError(
        absl::StrFormat("input.current: '%s' is not understood", name)));
  }
  flyte::NodeState state = {current.value_or(flyte::NodePhase::kNotYetStarted),
                            NodeAttemptsFrom(input)};
  const flyte::RetryBudget budget = RetryBudgetFrom(input);
  const flyte::HandlerResult handled = HandledFrom(input);
  const auto handler_error = ReturnedError("handlerError", input);
  const auto clean_up_error = ReturnedError("finalizeError", input);
  Json facts = {{"error", nullptr}};
  AddError(std::nullopt, facts);
  if (flyte::NeedsCleanUp(state.phase)) {
    if (clean_up_error.has_value()) {
      facts["error"] = *clean_up_error;
    } else {
      state = flyte::AfterCleanUp(state);
    }
  } else if (!flyte::IsEnd(state.phase)) {
    if (handler_error.has_value()) {
      facts["error"] = *handler_error;
    } else {
      const auto result = flyte::ExecuteRound(handled, flyte::NodeClocks(),
                                              budget, state.counters);
      state = flyte::AfterRound(state, result);
      AddError(result.error, facts);
    }
  }
  facts["next"] = flyte::NodePhaseName(state.phase);
  facts["attempts"] = state.counters.attempts;
  facts["systemFailures"] = state.counters.system_failures;
  return facts;
}

Json MaxSystemFailuresFacts(FlyteCase& test) {
  return {{"maxSystemFailures",
           flyte::MaxSystemFailures(test.input.Count("configured"))}};
}

Json RecordSystemErrorFacts(FlyteCase& test) {
  Members& input = test.input;
  flyte::SystemError error;
  error.plugin = input.Text("plugin");
  const Json& json = input.Get("error");
  if (json.is_string()) {
    error.message = json.get<std::string>();
  } else {
    const flyte::ExecutionError parts = ExecutionErrorFrom(json, input);
    error.code = parts.code;
    error.message = parts.message;
  }
  const flyte::TaskActionCounters counters = {input.Count("attempts", 1),
                                              input.Count("systemFailures")};
  const auto verdict = flyte::RecordSystemError(
      error, counters, input.Count("maxSystemFailures"));
  Json facts = {
      {"systemFailures", verdict.counters.system_failures},
      {"attempts", verdict.counters.attempts},
      {"attemptsChanged", verdict.counters.attempts != counters.attempts},
      {"requeueAfter", flyte::GoDuration(verdict.requeue_after)},
      {"terminal", verdict.terminal}};
  AddError(verdict.error, facts);
  return facts;
}

Json SystemRetryableFacts(FlyteCase& test) {
  return {
      {"system", flyte::IsSystemRetryableFailure(PhaseInfoFrom(test.input))}};
}

Json SystemErrorTextFacts(FlyteCase& test) {
  const std::string text = flyte::SystemErrorText(PhaseInfoFrom(test.input));
  return {{"error", text}, {"message", text}};
}

}  // namespace mulligan::conformance
