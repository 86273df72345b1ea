// The order of checks that leads from a diagnosis to a verdict.
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

// Time between polls for a change without a known schedule.
inline constexpr absl::Duration kPollInterval = absl::Minutes(1);

// A hypothetical change; the default changes nothing.
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
  // The rule or default that applied; null if none was evaluated.
  const CompiledOutcome* outcome = nullptr;
  const v1::RuleReference* rule = nullptr;
  int rules_tried = 0;  // before it
  // The rule itself names the derived cause.
  bool by_history = false;
  int charged = kNoBudget;
  // Why a retry was refused; for BUDGET, also by which budget.
  v1::AttemptRecord::Refusal refused_by =
      v1::AttemptRecord::REFUSAL_UNSPECIFIED;
  int refusing_budget = kNoBudget;
  // Use and limit of the paying or refusing budget or cap.
  std::int64_t used = 0;
  std::int64_t bound = 0;
  std::optional<absl::Duration> delay;
  std::optional<absl::Time> evidence_deadline;
  bool last_attempt = false;
  // The expected chance that the retry passes; empty if hours do not matter.
  std::optional<double> passes;
  // The verdict is final or charged, so the ledger records it.
  bool recorded = false;
  // The wait cannot end by itself because the failure has no known time.
  bool grace_unknown = false;
  // Others wait for the result of this retry.
  bool canary = false;
};

// Returns whether the rule grants the next attempt more resources.
inline bool Grows(const Verdict& verdict) {
  return verdict.outcome != nullptr && verdict.outcome->resources.has_value();
}

// Returns whether a refusal is due to a rule, so that no attempt can help. A
// refusal by a budget, cap or deadline may allow an attempt later.
inline bool IsByRule(v1::AttemptRecord::Refusal refused_by) {
  return refused_by == v1::AttemptRecord::REFUSAL_UNSPECIFIED ||
         refused_by == v1::AttemptRecord::DERIVED_CAUSE;
}

// A verdict and the budgets after it.
struct Priced {
  Verdict verdict;
  Accounts accounts;
};

// Returns the verdict. Pure. The first check that settles it is `decided_by`.
// Rules come before the checks that refuse retries, so a rule that wants no
// retry is the reason for the answer even while retries are switched off:
//
//   1. Work that is not broken is left alone, whatever the policy says.
//   2. The first matching rule, else the default, says what the policy wants.
//   3. A doubtful case waits for evidence until its deadline.
//   4. A wait that exceeds its grace becomes the action that the rule names. A
//      wait for INCIDENT does so at once for a canary or after the incident.
//   5. An endless wait for an object that its operator has given up becomes a
//      retry, because only a new object can continue.
//   6. If the result is RETRY, these may refuse it: kill switch, the Job's
//      deadline, a stated cap on attempts, the budget, the cap implied by the
//      budgets, the history (DETERMINISTIC, POISON_JOB), the expected loss of
//      hours, and the deadline again, now with the delay.
Priced Price(const Case& failure, const WhatIf& change = {});

// Returns how long after its own end `member`, which is part of the failure
// with record `decided`, is retried. Empty if its rule has no delayed retry.
std::optional<absl::Duration> DelayOfMember(const Case& member,
                                            const v1::AttemptRecord& decided);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_VERDICT_H_
