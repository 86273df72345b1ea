#include "policy/native/answer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"

namespace mulligan {

OperatorAnswer AnswerAs(std::string_view verdict, v1::Decision::Action action,
                        OperatorAnswer rest) {
  rest.verdict = verdict;
  rest.action = action;
  return rest;
}

OperatorAnswer Idle(std::string why) {
  return Ignores("None", {.warnings = {std::move(why)}});
}

OperatorAnswer LeftTo(const std::string& manager) {
  return Ignores("Skipped", {.message = "managed by " + manager});
}

OperatorAnswer ChargedAs(const NativeOutcome& below, OperatorAnswer answer) {
  answer.charge = {below.charged_to, below.used, below.limit};
  answer.warnings = Appended(std::move(answer.warnings), below.warnings);
  return answer;
}

std::vector<std::string> Appended(std::vector<std::string> texts,
                                  const std::vector<std::string>& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

std::vector<std::string> RefusalsOf(const FieldErrors& errors,
                                    const std::string& path,
                                    std::string_view refusal) {
  std::vector<std::string> refusals;
  for (const FieldError& error : errors) {
    refusals.push_back(
        absl::StrFormat("%s.%s; %s", path, FormatFieldError(error), refusal));
  }
  return refusals;
}

NativeOutcome OutcomeBy(std::string_view who, const std::string& semantics,
                        v1::Decision::Scope whose,
                        const std::vector<std::string>& warnings,
                        const OperatorAnswer& answer) {
  NativeOutcome outcome;
  v1::NativeVerdict& verdict = outcome.verdict;
  verdict.set_operator_(std::string(who));
  verdict.set_semantics(semantics);
  if (!answer.also_by.empty()) {
    absl::StrAppend(verdict.mutable_semantics(), ", ", answer.also_by);
  }
  verdict.set_verdict(answer.verdict);
  verdict.set_reason(answer.reason);
  verdict.set_message(answer.message);
  for (const auto& [path, count] : answer.counters) {
    (*verdict.mutable_counters())[path] = CountOf(count);
  }
  if (answer.delay.has_value()) {
    SetDuration(*answer.delay, *verdict.mutable_delay());
  }
  const bool stays = answer.action == v1::Decision::RETRY &&
                     answer.queue == v1::Decision::QUEUE_UNSPECIFIED;
  const bool says_whose = answer.scope != v1::Decision::SCOPE_UNSPECIFIED;
  outcome.action = answer.action;
  outcome.scope = says_whose ? answer.scope : whose;
  outcome.queue = stays ? v1::Decision::IN_PLACE : answer.queue;
  outcome.charged_to = answer.charge.budget;
  outcome.used = answer.charge.used;
  outcome.limit = answer.charge.limit;
  verdict.set_action(outcome.action);
  verdict.set_scope(outcome.scope);
  verdict.set_queue(outcome.queue);
  verdict.set_charged_to(outcome.charged_to);
  verdict.set_used(CountOf(outcome.used));
  verdict.set_limit(CountOf(outcome.limit));
  outcome.on_demand = answer.on_demand;
  outcome.warnings = Appended(warnings, answer.warnings);
  return outcome;
}

}  // namespace mulligan
