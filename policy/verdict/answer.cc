#include "policy/verdict/answer.h"

#include <string>

#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/budget/ledger.h"
#include "policy/limits.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/natural_scope.h"
#include "policy/verdict/advice.h"
#include "policy/verdict/run_time.h"
#include "policy/verdict/sentence.h"

namespace mulligan {

const std::string& BudgetName(const Case& failure, int budget) {
  return failure.policy.budgets[static_cast<std::size_t>(budget)].name;
}

void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings) {
  decision.set_action(verdict.action);
  decision.set_scope(verdict.scope);
  if (verdict.delay) {
    SetDuration(*verdict.delay, *decision.mutable_retry_after());
  }
  if (verdict.action == v1::Decision::RETRY) {
    decision.set_queue(verdict.outcome->queue);
    decision.set_requires_recreate(
        InSinkState(failure.report, failure.workload));
    decision.set_last_attempt(verdict.last_attempt);
    decision.set_canary(verdict.canary);
    FillAdvice(failure, verdict, decision, warnings);
  } else if (verdict.action == v1::Decision::WAIT) {
    if (verdict.evidence_deadline) {
      SetTime(*verdict.evidence_deadline,
              *decision.mutable_evidence_deadline());
    }
  }
}

void FillRecord(const Case& failure, const Verdict& verdict,
                const FailureId& id, const v1::Decision& decision,
                v1::AttemptRecord& record) {
  const v1::Diagnosis& diagnosis = failure.diagnosis;
  record.set_failure_id(id.id);
  record.set_named(id.named);
  record.set_attempt(failure.attempt);
  record.set_cause(diagnosis.cause());
  if (verdict.charged != kNoBudget) {
    record.set_charged_to(BudgetName(failure, verdict.charged));
  }
  if (diagnosis.culprit().node().size() <= kMaxLedgerNodeBytes) {
    record.set_node(diagnosis.culprit().node());
  }
  if (IsSet(diagnosis.finished_at())) {
    *record.mutable_finished_at() = diagnosis.finished_at();
  }
  if (diagnosis.fingerprint().size() <= kMaxFingerprintBytes) {
    record.set_fingerprint(diagnosis.fingerprint());
  }
  if (failure.progress.has_value()) {
    record.set_progress(failure.progress.value());
  }
  record.set_artifact(failure.progress.artifact());
  *record.mutable_decision() = decision;
  if (const auto ran = RunTimeOf(failure.report, diagnosis)) {
    SetDuration(*ran, *record.mutable_ran_for());
  }
  SetTime(failure.now, *record.mutable_observed_at());
  record.set_refused_by(verdict.refused_by);
  if (verdict.refusing_budget != kNoBudget) {
    record.set_refusing_budget(BudgetName(failure, verdict.refusing_budget));
  }
  if (verdict.refused_by == v1::AttemptRecord::DERIVED_CAUSE ||
      diagnosis.derived_cause() == v1::INCIDENT) {
    record.set_derived_cause(diagnosis.derived_cause());
  }
  record.set_used(CountOf(verdict.used));
  record.set_bound(CountOf(verdict.bound));
}

void Book(const Case& failure, const Accounts& accounts,
          v1::AttemptRecord& record, v1::BudgetLedger& ledger) {
  WriteAccounts(accounts, ledger);
  AddRecord(failure.attempts, record, ledger);
  BoundLedger(failure.policy, ledger);
}

void FillTexts(const v1::Diagnosis& diagnosis, const v1::AttemptRecord& record,
               v1::Decision& decision) {
  FillAdviceText(record, decision);
  decision.set_sentence(SentenceOf(diagnosis, decision, record));
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
  accounting.set_max_attempts(failure.policy.max_attempts);
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
