// The order of checks from a diagnosis to a verdict (docs/adr/0011).
#ifndef MULLIGAN_POLICY_VERDICT_VERDICT_H_
#define MULLIGAN_POLICY_VERDICT_VERDICT_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/accounts.h"
#include "policy/budget/history.h"
#include "policy/demystify/demystify.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// When to ask again about something that changes without a known schedule.
inline constexpr absl::Duration kPollInterval = absl::Minutes(1);

// All a verdict depends on.
struct Case {
  const v1::FailureReport& report;
  const v1::WorkloadReference& workload;
  const v1::Diagnosis& diagnosis;
  const CompiledPolicy& policy;
  const v1::BudgetLedger& ledger;  // before this failure
  const v1::Progress& progress;    // of the attempt that failed
  absl::Time now;                  // report.observed_at
  absl::Time failed_at;            // when it ended; `now` if nobody knows
  // For work that is not broken: when to look again.
  std::optional<absl::Time> ask_again;
  std::optional<absl::Time> since;  // the earliest sign of the trouble
  std::int32_t attempt;             // number of the attempt that failed
  std::int32_t attempts;            // failed attempts, this one included
  std::uint64_t identity;           // hash of the failure, for jitter
  bool refund;  // false when this failure's progress was refunded before
  PatternAllowance& patterns;  // for the rules' patterns
  Turn turn = Turn::kWait;     // in an INCIDENT
  // For the ledger; null: nothing is known of it.
  const Incident* incident = nullptr;
  // Until when pods of the attempt are being stopped: no retry is due before.
  std::optional<absl::Time> gone_at = std::nullopt;
};

// A change to try out; the default changes nothing.
struct WhatIf {
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  int budget = kNoBudget;
  std::int64_t more_limit = 0;
  std::int64_t more_attempts = 0;
  bool without_kill_switch = false;
  bool without_derived_cause = false;
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
  // The failure is final or paid for, so the ledger records it.
  bool recorded = false;
  // A wait cannot end by itself, because the failure has no known time.
  bool grace_unknown = false;
  // Others wait for how this retry ends.
  bool canary = false;
};

// Charges `accounts`, which must be fresh from the ledger. Pure. In this order,
// and the first that ends it is `decided_by`:
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
//      by the budgets, the history (DETERMINISTIC, POISON_JOB), the deadline
//      once more with the delay.
Verdict Evaluate(const Case& failure, const WhatIf& change, Accounts& accounts);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_VERDICT_H_
