// An operator's reaction to a failure as plain values, which are turned into a
// NativeOutcome at the end.
#ifndef MULLIGAN_POLICY_NATIVE_ANSWER_H_
#define MULLIGAN_POLICY_NATIVE_ANSWER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/native.h"
#include "policy/native/objects.h"

namespace mulligan {

// Keyed by JSON path in status.
using Counters = std::map<std::string, std::int64_t>;

// The budget that pays; see NativeOutcome.
struct NativeCharge {
  std::string budget = {};
  std::int64_t used = 0;
  std::int64_t limit = 0;
};

struct OperatorAnswer {
  // The verdict in the operator's terms and in Mulligan's.
  std::string verdict = {};
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  std::string reason = {};
  std::string message = {};
  // Unspecified: that of the operator's workloads.
  v1::Decision::Scope scope = v1::Decision::SCOPE_UNSPECIFIED;
  // Unspecified: a retry keeps its place in the queue.
  v1::Decision::Queue queue = v1::Decision::QUEUE_UNSPECIFIED;
  NativeCharge charge = {};
  std::optional<absl::Duration> delay = {};
  bool on_demand = false;
  // Semantics of the inner objects, if their operator answered too.
  std::string also_by = {};
  Counters counters = {};
  std::vector<std::string> warnings = {};
};

OperatorAnswer AnswerAs(std::string_view verdict, v1::Decision::Action action,
                        OperatorAnswer rest = {});

inline OperatorAnswer Quits(std::string_view verdict,
                            OperatorAnswer rest = {}) {
  return AnswerAs(verdict, v1::Decision::FAIL, std::move(rest));
}
inline OperatorAnswer Retries(std::string_view verdict,
                              OperatorAnswer rest = {}) {
  return AnswerAs(verdict, v1::Decision::RETRY, std::move(rest));
}
inline OperatorAnswer Waits(std::string_view verdict,
                            OperatorAnswer rest = {}) {
  return AnswerAs(verdict, v1::Decision::WAIT, std::move(rest));
}
inline OperatorAnswer Ignores(std::string_view verdict,
                              OperatorAnswer rest = {}) {
  return AnswerAs(verdict, v1::Decision::IGNORE, std::move(rest));
}

// Returns an answer that does nothing about the failure because of `why`.
OperatorAnswer Idle(std::string why);

// Returns an answer for an object that another controller manages.
OperatorAnswer LeftTo(const std::string& manager);

// Returns an answer whose verdict is the condition type; reason and message
// come from the condition if it exists.
template <typename Conditions>
OperatorAnswer AnswerBy(const Conditions& conditions, std::string_view type,
                        v1::Decision::Action action, OperatorAnswer rest = {}) {
  if (const auto* const found = FindCondition(conditions, type)) {
    rest.reason = found->reason();
    rest.message = found->message();
  }
  return AnswerAs(type, action, std::move(rest));
}

// Returns `answer` with the charge of the inner objects' outcome.
OperatorAnswer ChargedAs(const NativeOutcome& below, OperatorAnswer answer);

std::vector<std::string> Appended(std::vector<std::string> texts,
                                  const std::vector<std::string>& more);

// Returns for example "report.jobs[0].spec.x: why; the webhook refuses such a
// Job".
std::vector<std::string> RefusalsOf(const FieldErrors& errors,
                                    const std::string& path,
                                    std::string_view refusal);

// Returns the outcome of operator `who` under `semantics`. An unspecified scope
// becomes `whose`. `warnings` precede those of the answer.
NativeOutcome OutcomeBy(std::string_view who, const std::string& semantics,
                        v1::Decision::Scope whose,
                        const std::vector<std::string>& warnings,
                        const OperatorAnswer& answer);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_ANSWER_H_
