#include "policy/answer/parts.h"

#include "absl/strings/str_cat.h"
#include "policy/budget/accounts.h"
#include "policy/verdict/record.h"
#include "policy/words/sentence.h"

namespace mulligan {
namespace {

// Adds the texts that the ledger leaves out. They are made from the record, so
// a repeated report gets the same ones.
void FillAdviceText(const v1::AttemptRecord& record, v1::Decision& decision) {
  if (!decision.has_placement()) return;
  v1::Placement& placement = *decision.mutable_placement();
  for (v1::AvoidNode& avoid : *placement.mutable_avoid_nodes()) {
    avoid.set_reason(
        absl::StrCat(v1::Cause_Name(record.cause()), " on this node"));
  }
  placement.clear_on_demand_reason();
  if (placement.on_demand()) {
    placement.set_on_demand_reason(absl::StrCat(record.charged_to(), ": ",
                                                record.used(), " of ",
                                                record.bound(), " used"));
  }
}

}  // namespace

void FillTexts(const v1::Diagnosis& diagnosis, const v1::AttemptRecord& record,
               const v1::Stake& stake, v1::Decision& decision) {
  FillAdviceText(record, decision);
  decision.set_sentence(SentenceOf(diagnosis, decision, record, stake));
}

void FillAccounting(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Accounting& accounting) {
  if (verdict.charged != kNoBudget) {
    accounting.set_charged_to(BudgetName(failure, verdict.charged));
    accounting.set_units(1);
  }
  ReportAccounts(accounts, accounting);
  accounting.set_attempts(verdict.recorded ? failure.attempts
                                           : failure.ledger.attempts_seen());
  accounting.set_max_attempts(failure.at.max_attempts());
  if (failure.stake.ByteSizeLong() == 0) return;
  *accounting.mutable_stake() = failure.stake;
  if (verdict.passes) accounting.mutable_stake()->set_passes(*verdict.passes);
}

void FillExhaustion(const v1::AttemptRecord& record,
                    v1::Accounting& accounting) {
  const bool cap = record.refused_by() == v1::AttemptRecord::MAX_ATTEMPTS;
  if (!cap && record.refused_by() != v1::AttemptRecord::BUDGET) return;
  v1::Exhaustion& exhaustion = *accounting.mutable_exhaustion();
  exhaustion.set_limit(cap ? v1::Exhaustion::MAX_ATTEMPTS
                           : v1::Exhaustion::BUDGET);
  exhaustion.set_budget(record.refusing_budget());
  exhaustion.set_used(record.used());
  exhaustion.set_bound(record.bound());
  exhaustion.set_cause(record.cause());
}

}  // namespace mulligan
