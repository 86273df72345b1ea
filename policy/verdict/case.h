// Everything that a verdict depends on.
#ifndef MULLIGAN_POLICY_VERDICT_CASE_H_
#define MULLIGAN_POLICY_VERDICT_CASE_H_

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/budget/ledger.h"
#include "policy/budget/stake.h"
#include "policy/rules/predicates.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

// A view of the earlier stages, which must outlive it.
struct Case {
  const FailureContext& at;
  const Diagnosed& diagnosed;
  const v1::BudgetLedger& ledger;  // before this failure
  const Owners& owners;            // of the failed attempt alone
  std::int32_t attempt;            // its number
  std::int32_t attempts;           // failed attempts, including this one
  bool refund;  // false if this failure's progress was refunded before
  v1::Stake stake = {};

  const v1::FailureReport& report() const { return owners.report; }
  const Failure& what() const { return diagnosed.what(); }
  const v1::WorkloadReference& workload() const { return *at.workload; }
  const CompiledPolicy& policy() const { return at.compiled(); }
  const v1::Progress& progress() const { return report().progress(); }
  absl::Time now() const { return at.now; }
};

// Returns the case of report.attempt or, if absent, of the next in `ledger`.
inline Case CaseOf(const FailureContext& at, const Diagnosed& diagnosed,
                   const v1::BudgetLedger& ledger, const Owners& owners,
                   bool refund) {
  const v1::FailureReport& report = owners.report;
  const std::int32_t next = NextAttempt(ledger);
  const std::int32_t attempt = report.has_attempt() ? report.attempt() : next;
  const AttemptAtStake at_stake = {report, diagnosed.what(),
                                   RanFor(report, diagnosed.what()), ledger,
                                   at.request.recent()};
  return {at,      diagnosed,
          ledger,  owners,
          attempt, std::max(next, attempt),
          refund,  diagnosed.is_broken() ? StakeOf(at_stake) : v1::Stake()};
}

// Returns what rules are matched against, for the given causes.
inline Facts FactsOf(const Case& failure, v1::Cause cause,
                     v1::DerivedCause derived) {
  return {failure.owners,  failure.what(), failure.workload(), cause, derived,
          failure.attempt, failure.stake,  failure.at.patterns};
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_CASE_H_
