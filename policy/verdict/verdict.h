// The order of checks (design section 5) from a diagnosis to a verdict.
#ifndef MULLIGAN_POLICY_VERDICT_VERDICT_H_
#define MULLIGAN_POLICY_VERDICT_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/accounts.h"
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

// Which check ended the evaluation.
enum class DecidedBy {
  kNotAFailure,
  kRule,
  kDefault,
  kEvidence,
  kGrace,
  kKillSwitch,
  kDeadline,
  kMaxAttempts,
  kBudget,
  kDerivedCause,
};

// The name in Explanation.decided_by: "rule", "max-attempts".
const char* NameOf(DecidedBy check);

struct Verdict {
  v1::Action action = v1::ACTION_UNSPECIFIED;
  v1::Scope scope = v1::SCOPE_UNSPECIFIED;
  DecidedBy decided_by = DecidedBy::kRule;
  // The rule or default that applied; null when no rule was asked.
  const CompiledOutcome* outcome = nullptr;
  const v1::RuleReference* rule = nullptr;
  int rules_tried = 0;  // before it
  int charged = kNoBudget;
  // What stood against a retry (AttemptRecord.refused_by); empty: nothing.
  std::string refused_by;
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
};

// Evaluates the checks in order and charges `accounts`, which must be fresh
// from the ledger. Pure.
Verdict Evaluate(const Case& failure, const WhatIf& change, Accounts& accounts);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_VERDICT_H_
