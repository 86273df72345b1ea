#include "policy/answer/decided.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/answer/explain.h"
#include "policy/answer/native_decision.h"
#include "policy/answer/parts.h"
#include "policy/base/times.h"
#include "policy/budget/accounts.h"
#include "policy/budget/ledger.h"
#include "policy/budget/stake.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/ownership.h"
#include "policy/request/workload.h"
#include "policy/verdict/escalation.h"
#include "policy/verdict/record.h"
#include "policy/verdict/verdict.h"

namespace mulligan {
namespace {

// Returns the parts that every answer has, without the ledger.
Decided CommonParts(const FailureContext& at,
                    std::vector<std::string> warnings) {
  return {.decision = MakePart<v1::Decision>(at.arena()),
          .accounting = MakePart<v1::Accounting>(at.arena()),
          .warnings = std::move(warnings)};
}

// Returns null if no explanation is requested.
AnswerPart<v1::Explanation> ExplanationOf(const FailureContext& at,
                                          v1::Explanation::DecidedBy who) {
  if (!at.explains()) return nullptr;
  auto explanation = MakePart<v1::Explanation>(at.arena());
  explanation->mutable_matched_rule()->set_policy(at.policy.rules->name());
  explanation->set_decided_by(who);
  return explanation;
}

// Returns the rest of the delay in a record's decision. If pods restart
// individually, another member of the failure has a time of its own, because
// restarting all at once could overload them.
absl::Duration DelayLeft(const FailureContext& at, const Diagnosed& diagnosed,
                         const LedgerState& before) {
  const v1::AttemptRecord& record = before.ledger->history(before.record);
  const v1::Decision& decision = record.decision();
  if (before.of_another && decision.action() == v1::Decision::RETRY &&
      decision.scope() <= v1::Decision::INDEX && record.has_observed_at()) {
    const Case member =
        CaseOf(at, diagnosed, *before.ledger, at.owners, /*refund=*/false);
    if (const auto delay = DelayOfMember(member, record)) {
      return *delay - (at.now - diagnosed.failed_at);
    }
  }
  const absl::Duration elapsed =
      std::max(at.now - ToTime(record.observed_at()), absl::ZeroDuration());
  return ToDuration(decision.retry_after()) - elapsed;
}

// Repeats a record's verdict without a charge; its delay has been running.
Decided RepeatDecision(const FailureContext& at, const Diagnosed& diagnosed,
                       LedgerState before) {
  const v1::BudgetLedger& ledger = *before.ledger;
  const v1::AttemptRecord& record = ledger.history(before.record);
  Decided decided = CommonParts(at, std::move(before.warnings));
  v1::Decision& decision = *decided.decision;
  decision = record.decision();
  // Nothing is started while a pod still has its grace period.
  const absl::Duration stopping =
      diagnosed.findings.gone_at.value_or(at.now) - at.now;
  if (decision.has_retry_after() && record.has_observed_at()) {
    SetDuration(std::max({DelayLeft(at, diagnosed, before), stopping,
                          absl::ZeroDuration()}),
                *decision.mutable_retry_after());
  } else if (decision.action() == v1::Decision::RETRY &&
             stopping > absl::ZeroDuration()) {
    SetDuration(stopping, *decision.mutable_retry_after());
  }
  // Its operator may have given up since.
  if (decision.action() == v1::Decision::RETRY &&
      IsInFinalState(at.owners, *at.workload)) {
    decision.set_requires_recreate(true);
    decision.set_scope(
        std::max(decision.scope(),
                 DefaultScope(at.report(), *at.workload, decision.action())));
  }
  v1::Accounting& accounting = *decided.accounting;
  ReportAccounts(Accounts(at.budgets(), ledger, at.now), accounting);
  accounting.set_attempts(ledger.attempts_seen());
  accounting.set_max_attempts(at.max_attempts());
  accounting.set_duplicate(true);
  FillExhaustion(record, accounting);
  if (record.cause() != diagnosed.what().cause) {
    decided.warnings.push_back("this failure was decided before as " +
                               v1::Cause_Name(record.cause()) +
                               ", and stays decided");
  }
  decided.explanation = ExplanationOf(at, v1::Explanation::DUPLICATE);
  decided.record = before.record;
  decided.ledger = std::move(before.ledger);
  return decided;
}

// Records later than the report make windows and loops look shorter.
void WarnOfLaterRecords(const v1::BudgetLedger& ledger, absl::Time now,
                        std::vector<std::string>& warnings) {
  // Clocks of two callers may differ by this much, in seconds.
  const std::int64_t latest = absl::ToUnixSeconds(now) + 60;
  const auto& history = ledger.history();
  for (int i = 0; i < history.size(); ++i) {
    if (history[i].observed_at().seconds() <= latest &&
        history[i].finished_at().seconds() <= latest) {
      continue;
    }
    warnings.push_back(absl::StrCat(
        "ledger.history[", i,
        "] is later than observedAt: clocks differ, or the report is late"));
    return;
  }
}

void WarnOfVerdict(const CompiledPolicy& policy, const Verdict& verdict,
                   std::vector<std::string>& warnings) {
  if (verdict.decided_by == v1::Explanation::KILL_SWITCH) {
    warnings.push_back("retries are switched off: " +
                       policy.kill_switch_reason);
  }
  if (verdict.grace_unknown) {
    warnings.emplace_back(
        "no time in the report says when this began, so the wait cannot end by "
        "itself");
  }
}

AnswerPart<v1::Explanation> Explain(const FailureContext& at,
                                    const Case& failure, const Verdict& verdict,
                                    bool stale) {
  auto explanation =
      ExplanationOf(at, stale ? v1::Explanation::STALE : verdict.decided_by);
  if (explanation == nullptr) return explanation;
  if (verdict.rule != nullptr) {
    *explanation->mutable_matched_rule() = *verdict.rule;
  }
  if (at.request.explain() == v1::DecideRequest::FULL) {
    ExplainRules(failure, verdict, *explanation);
    ExplainFlips(failure, verdict, *explanation);
  }
  return explanation;
}

// Returns the report of the current attempt alone, for rules on raw objects.
// Empty if there is no other attempt.
std::optional<v1::FailureReport> CurrentAttempt(const FailureContext& at,
                                                const Findings& findings) {
  if (findings.earlier.empty()) return std::nullopt;
  Unread past;
  for (const Failure& earlier : findings.earlier) {
    const auto& pods = earlier.incident.pods;
    past.pods.insert(past.pods.end(), pods.begin(), pods.end());
  }
  std::ranges::sort(past.pods);
  v1::FailureReport report = at.report();
  LeaveOut(past, report);
  return report;
}

// Decides by the operator. Takes over the ledger and adds the failure to it.
Decided DecideByOperator(const FailureContext& at, const Case& failure,
                         LedgerState before) {
  Decided decided = CommonParts(at, std::move(before.warnings));
  auto record = MakePart<v1::AttemptRecord>(at.arena());
  v1::Accounting& accounting = *decided.accounting;
  FillNatively(failure, *at.native, *decided.decision, accounting, *record);
  FillExhaustion(*record, accounting);
  decided.explanation = ExplanationOf(at, v1::Explanation::NATIVE);
  decided.ledger = std::move(before.ledger);
  if (BookNatively(*at.native, failure.attempts, *record, *decided.ledger)) {
    decided.record = decided.ledger->history_size() - 1;
  } else {
    decided.unrecorded = std::move(record);
  }
  accounting.set_attempts(decided.ledger->attempts_seen());
  return decided;
}

Decided DecideByPolicy(const FailureContext& at, const Case& failure,
                       LedgerState before) {
  const auto [verdict, accounts] = Price(failure);
  Decided decided = CommonParts(at, std::move(before.warnings));
  v1::Decision& decision = *decided.decision;
  FillDecision(failure, verdict, decision, decided.warnings);
  FillEscalation(failure, verdict, accounts, decision);
  WarnOfVerdict(failure.policy(), verdict, decided.warnings);
  FillAccounting(failure, verdict, accounts, *decided.accounting);
  if (before.status == LedgerStatus::kOvertaken) {
    decided.accounting->set_duplicate(true);
  }
  decided.explanation = Explain(at, failure, verdict, before.is_stale());
  auto record = MakePart<v1::AttemptRecord>(at.arena());
  FillRecord(failure, verdict, decision, *record);
  // Another member of a gang, which knows less of the failure.
  if (before.taken_back && failure.what().set_aside) {
    record->set_failure_id(before.taken_back->failure_id());
  }
  FillExhaustion(*record, *decided.accounting);
  decided.ledger = std::move(before.ledger);
  if (verdict.recorded) {
    Book(accounts, failure.attempts, *record, *decided.ledger);
    decided.record = decided.ledger->history_size() - 1;
  } else {
    // The earlier record stays until there is a new decision.
    if (before.taken_back) {
      PutBack(*before.taken_back, before.record, *decided.ledger);
    }
    decided.unrecorded = std::move(record);
  }
  return decided;
}

// Ends the retries that others make; their charges stay.
Decided DecideToStop(const FailureContext& at, const Findings& findings,
                     LedgerState before) {
  Decided decided = CommonParts(at, std::move(before.warnings));
  v1::Decision& decision = *decided.decision;
  if (before.stop->action == v1::Decision::RETRY) {
    decision = before.stop->record.decision();
  }
  decision.set_action(before.stop->action);
  // The whole workload is stopped, even if it is recreated afterwards.
  decision.set_scope(
      DefaultScope(at.report(), *at.workload, v1::Decision::FAIL));
  decided.unrecorded = MakePart<v1::AttemptRecord>(at.arena());
  decided.unrecorded->Swap(&before.stop->record);
  FillExhaustion(*decided.unrecorded, *decided.accounting);
  ReportAccounts(Accounts(at.budgets(), *before.ledger, at.now),
                 *decided.accounting);
  decided.accounting->set_attempts(before.ledger->attempts_seen());
  decided.accounting->set_max_attempts(at.max_attempts());
  if (before.stop->avoidable > absl::ZeroDuration()) {
    *decided.accounting->mutable_stake() = AvoidableStake(
        at.report(),
        findings.earlier.empty() ? std::vector<int>()
                                 : findings.earlier.back().incident.pods,
        before.stop->avoidable);
  }
  decided.explanation = ExplanationOf(at, v1::Explanation::BRAKE);
  decided.ledger = std::move(before.ledger);
  return decided;
}

}  // namespace

Decided DecideOn(const FailureContext& at, const Diagnosed& diagnosed,
                 LedgerState before) {
  if (before.status == LedgerStatus::kDecided) {
    return RepeatDecision(at, diagnosed, std::move(before));
  }
  if (before.stop)
    return DecideToStop(at, diagnosed.findings, std::move(before));
  const auto alone = CurrentAttempt(at, diagnosed.findings);
  const std::optional<Owners> its_owners =
      alone ? std::optional<Owners>(std::in_place, *alone) : std::nullopt;
  const Case failure = CaseOf(at, diagnosed, *before.ledger,
                              its_owners ? *its_owners : at.owners,
                              before.status == LedgerStatus::kNew);
  if (diagnosed.is_broken()) {
    WarnOfLaterRecords(*before.ledger, at.now, before.warnings);
  }
  return at.decides_natively() && !before.is_stale()
             ? DecideByOperator(at, failure, std::move(before))
             : DecideByPolicy(at, failure, std::move(before));
}

}  // namespace mulligan
