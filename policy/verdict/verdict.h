// The order of checks from a diagnosis to a verdict.
#ifndef MULLIGAN_POLICY_VERDICT_VERDICT_H_
#define MULLIGAN_POLICY_VERDICT_VERDICT_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/accounts.h"
#include "policy/verdict/case.h"

namespace mulligan {

// When to ask again about something that changes without a known schedule.
inline constexpr absl::Duration kPollInterval = absl::Minutes(1);

// A change to try out; the default changes nothing.
struct WhatIf {
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  int budget = kNoBudget;
  std::int64_t more_limit = 0;
  std::int64_t more_attempts = 0;
  bool without_kill_switch = false;
  bool without_derived_cause = false;
  std::optional<double> passes = std::nullopt;  // of the rule
};

using DecidedBy = v1::Explanation::DecidedBy;

struct Verdict {
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  v1::Decision::Scope scope = v1::Decision::SCOPE_UNSPECIFIED;
  DecidedBy decided_by = v1::Explanation::DECIDED_BY_UNSPECIFIED;
  // The rule or default that applied; null when no rule was asked.
  const CompiledOutcome* outcome = nullptr;
  const v1::RuleReference* rule = nullptr;
  int rules_tried = 0;  // before it
  // The rule names the derived cause itself.
  bool by_history = false;
  int charged = kNoBudget;
  // What stood against a retry, and which budget it was for BUDGET.
  v1::AttemptRecord::Refusal refused_by =
      v1::AttemptRecord::REFUSAL_UNSPECIFIED;
  int refusing_budget = kNoBudget;
  // Use and bound of the paying or refusing limit.
  std::int64_t used = 0;
  std::int64_t bound = 0;
  std::optional<absl::Duration> delay;
  std::optional<absl::Time> evidence_deadline;
  bool last_attempt = false;
  // How often the retry is expected to pass; nothing: hours are not looked at.
  std::optional<double> passes;
  // The failure is final or paid for, so the ledger records it.
  bool recorded = false;
  // A wait cannot end by itself, because the failure has no known time.
  bool grace_unknown = false;
  // Others wait for how this retry ends.
  bool canary = false;
};

// Whether the rule grants the next attempt more resources.
inline bool Grows(const Verdict& verdict) {
  return verdict.outcome != nullptr && verdict.outcome->resources.has_value();
}

// Whether an action refuses another attempt.
inline bool IsRefusal(v1::Decision::Action action) {
  return action == v1::Decision::FAIL ||
         action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
}

// Whether a refusal rests on a rule (no attempt can help) rather than on a
// budget, cap or deadline, which may allow an attempt later.
inline bool IsByRule(v1::AttemptRecord::Refusal refused_by) {
  return refused_by == v1::AttemptRecord::REFUSAL_UNSPECIFIED ||
         refused_by == v1::AttemptRecord::DERIVED_CAUSE;
}

// A verdict, and the budgets after it.
struct Priced {
  Verdict verdict;
  Accounts accounts;
};

// Pure. In this order, and the first that ends it is `decided_by`. Rules come
// before what stands against a retry, so that a rule that wants no retry is the
// reason of the answer, also while retries are switched off:
//
//   1. what is not broken is left alone, whatever the policy says;
//   2. the first matching rule, else the default: what the policy wants;
//   3. a doubtful case waits for evidence until its deadline;
//   4. a wait that lasted longer than its grace becomes what the rule says; the
//      wait of a rule for INCIDENT does so at once for a canary, and when the
//      incident is over;
//   5. a wait without an end for an object that its operator has given up is a
//      retry, because only a new object can go on;
//   6. only if all that says RETRY, what stands against it: kill switch, the
//      Job's deadline, a stated cap on attempts, the budget, the cap implied
//      by the budgets, the history (DETERMINISTIC, POISON_JOB), the hours it is
//      expected to lose, the deadline once more with the delay.
Priced Price(const Case& failure, const WhatIf& change = {});

// How long after its end a member is due of a failure that has the record
// `decided`, by the rule that wants its retry. Nothing: none spreads retries.
std::optional<absl::Duration> DelayOfMember(const Case& member,
                                            const v1::AttemptRecord& decided);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_VERDICT_H_
