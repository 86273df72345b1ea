#include "policy/verdict/verdict.h"

#include <algorithm>
#include <string>

#include "policy/base/times.h"
#include "policy/request/natural_scope.h"
#include "policy/rules/backoff.h"

namespace mulligan {
namespace {

// A crash loop backs off this long when the rule has no backoff of its own.
constexpr absl::Duration kCrashLoopDelay = absl::Minutes(10);
// Work that has not started is looked at again at least so often.
constexpr absl::Duration kLongestLook = absl::Minutes(11);

// One evaluation. The verdict is built up check by check.
class Evaluation {
 public:
  Evaluation(const Case& failure, const WhatIf& change, Accounts& accounts)
      : case_(failure), change_(change), accounts_(accounts) {
    cause_ = change.cause != v1::CAUSE_UNSPECIFIED ? change.cause
                                                   : failure.diagnosis.cause();
    derived_ =
        change.cause != v1::CAUSE_UNSPECIFIED || change.without_derived_cause
            ? v1::CAUSE_UNSPECIFIED
            : failure.diagnosis.derived_cause();
  }

  Verdict Run() {
    if (!NotAFailure()) {
      MatchRule();
      LookForEvidence();
      EndGrace();
      if (verdict_.action == v1::RETRY) {
        Retry();
      } else if (verdict_.action == v1::WAIT) {
        Wait();
      }
    }
    if (verdict_.scope == v1::SCOPE_UNSPECIFIED) {
      verdict_.scope =
          NaturalScope(case_.report, case_.workload, verdict_.action);
    }
    verdict_.recorded = verdict_.charged != kNoBudget ||
                        verdict_.action == v1::RETRY ||
                        verdict_.action == v1::FAIL ||
                        verdict_.action == v1::WAIT_FOR_SPEC_UPDATE;
    return std::move(verdict_);
  }

 private:
  // Only what is broken is charged, retried or failed, whatever a policy says.
  bool NotAFailure() {
    verdict_.decided_by = DecidedBy::kNotAFailure;
    switch (static_cast<int>(cause_)) {
      case v1::STALE_REPORT:
      case v1::SUCCEEDED:
      case v1::CANCELLED:
        verdict_.action = v1::IGNORE;
        return true;
      case v1::SUSPENDED:
        verdict_.action = v1::WAIT;
        verdict_.delay = kPollInterval;
        return true;
      case v1::NOT_FAILED:
        break;
      default:
        if (case_.diagnosis.situation() != v1::Diagnosis::ALIVE ||
            change_.cause != v1::CAUSE_UNSPECIFIED) {
          return false;
        }
    }
    verdict_.action = v1::IGNORE;
    if (case_.ask_again) {
      const absl::Duration left = *case_.ask_again - case_.now;
      verdict_.action = v1::WAIT;
      verdict_.delay = left > absl::ZeroDuration()
                           ? std::min(left, kLongestLook)
                           : kPollInterval;
    }
    return true;
  }

  void MatchRule() {
    const Facts facts{case_.report, case_.diagnosis, case_.workload, cause_,
                      derived_,     case_.attempt,   case_.patterns};
    for (const CompiledRule& rule : case_.policy.rules) {
      if (Matches(rule.when, facts)) {
        Apply(rule.then, rule.reference, DecidedBy::kRule);
        expects_derived_ = !rule.when.derived_causes.empty();
        return;
      }
      ++verdict_.rules_tried;
    }
    ApplyDefault(DecidedBy::kDefault);
  }

  void Apply(const CompiledOutcome& outcome, const v1::RuleReference& rule,
             DecidedBy decided_by) {
    verdict_.outcome = &outcome;
    verdict_.rule = &rule;
    verdict_.decided_by = decided_by;
    verdict_.action = outcome.action;
    verdict_.scope = outcome.scope;
    budget_ = outcome.budget;
  }

  void ApplyDefault(DecidedBy decided_by) {
    Apply(case_.policy.fallback, case_.policy.fallback_reference, decided_by);
  }

  // Before the evidence deadline a doubtful case waits for evidence; after it
  // a WAIT has waited enough.
  void LookForEvidence() {
    const CompiledOutcome& outcome = *verdict_.outcome;
    if (!outcome.evidence_deadline) return;
    const absl::Time deadline =
        case_.since.value_or(case_.now) + *outcome.evidence_deadline;
    if (outcome.action == v1::WAIT) {
      if (case_.now < deadline) {
        verdict_.grace_unknown = !case_.since;
        verdict_.evidence_deadline = deadline;
      } else if (verdict_.decided_by == DecidedBy::kRule) {
        ApplyDefault(DecidedBy::kEvidence);
      }
      return;
    }
    const bool doubtful = case_.diagnosis.confidence() == v1::LOW &&
                          !case_.diagnosis.needed_evidence().empty();
    // Without a start there is no end: then better decide at once.
    if (doubtful && case_.since && case_.now < deadline) {
      verdict_.action = v1::WAIT;
      verdict_.decided_by = DecidedBy::kEvidence;
      verdict_.evidence_deadline = deadline;
      budget_ = kNoBudget;
    }
  }

  void EndGrace() {
    const auto& grace = verdict_.outcome->after_grace;
    if (!grace || verdict_.action != v1::WAIT) return;
    if (!case_.since) {
      verdict_.grace_unknown = true;
      return;
    }
    const absl::Time end = *case_.since + grace->grace;
    if (case_.now < end) {
      wait_at_most_ = end - case_.now;
      return;
    }
    verdict_.action = grace->action;
    verdict_.decided_by = DecidedBy::kGrace;
    verdict_.evidence_deadline.reset();
    budget_ = grace->budget;
  }

  void Retry() {
    if (case_.policy.kill_switch && !change_.without_kill_switch) {
      return Refuse(DecidedBy::kKillSwitch, "KILL_SWITCH");
    }
    if (MissesDeadline(absl::ZeroDuration())) {
      return Refuse(DecidedBy::kDeadline, "DEADLINE");
    }
    // Attempts are never refunded: past a stated cap nothing is given back. A
    // refund stands even where the price then cannot be paid.
    const bool capped = case_.attempts >= MaxAttempts();
    if (capped && case_.policy.max_attempts_given) return RefuseAttempt();
    if (case_.refund) accounts_.Refund(case_.progress, case_.ledger);
    const Payer payer = accounts_.FindPayer(budget_);
    if (payer.budget == kNoBudget) return Exhausted(payer.exhausted);
    // The implied cap is the sum of the budgets: where both are met, the budget
    // is the better answer.
    if (capped) return RefuseAttempt();
    if (!expects_derived_ &&
        (derived_ == v1::POISON_JOB || derived_ == v1::DETERMINISTIC)) {
      return Refuse(DecidedBy::kDerivedCause, v1::Cause_Name(derived_));
    }
    // It has been waiting since the failure.
    const absl::Duration delay = std::max(
        Delay(accounts_.at(payer.budget).used + 1, absl::ZeroDuration()) -
            (case_.now - case_.failed_at),
        absl::ZeroDuration());
    if (MissesDeadline(delay)) {
      return Refuse(DecidedBy::kDeadline, "DEADLINE");
    }
    verdict_.delay = delay;
    Charge(payer.budget);
    verdict_.last_attempt = case_.attempts + std::int64_t{1} >= MaxAttempts() ||
                            accounts_.FindPayer(budget_).budget == kNoBudget;
  }

  void Wait() {
    std::int64_t charges = 1;
    if (budget_ != kNoBudget) {
      if (case_.refund) accounts_.Refund(case_.progress, case_.ledger);
      const Payer payer = accounts_.FindPayer(budget_);
      if (payer.budget == kNoBudget) return Exhausted(payer.exhausted);
      Charge(payer.budget);
      charges = verdict_.used;
    }
    absl::Duration delay = Delay(charges, kPollInterval);
    if (wait_at_most_) delay = std::min(delay, *wait_at_most_);
    if (verdict_.evidence_deadline) {
      delay = std::min(delay, *verdict_.evidence_deadline - case_.now);
    }
    verdict_.delay = delay;
  }

  void Charge(int budget) {
    accounts_.Charge(budget, case_.failed_at);
    verdict_.charged = budget;
    verdict_.used = accounts_.at(budget).used;
    verdict_.bound = accounts_.at(budget).limit;
  }

  // The rule's retry is not granted; at the scope that is given up then.
  void Refuse(DecidedBy decided_by, const std::string& refused_by) {
    verdict_.action = v1::FAIL;
    verdict_.decided_by = decided_by;
    verdict_.refused_by = refused_by;
  }

  void RefuseAttempt() {
    verdict_.used = case_.attempts;
    verdict_.bound = MaxAttempts();
    Refuse(DecidedBy::kMaxAttempts, "maxAttempts");
  }

  void Exhausted(int budget) {
    const CompiledBudget& exhausted =
        case_.policy.budgets[static_cast<std::size_t>(budget)];
    Refuse(DecidedBy::kBudget, exhausted.name);
    verdict_.used = accounts_.at(budget).used;
    verdict_.bound = accounts_.at(budget).limit;
    if (exhausted.on_exhausted != v1::RETRY) {
      verdict_.action = exhausted.on_exhausted;
    }
    if (exhausted.exhausted_scope != v1::SCOPE_UNSPECIFIED) {
      verdict_.scope = exhausted.exhausted_scope;
    }
    verdict_.evidence_deadline.reset();
  }

  absl::Duration Delay(std::int64_t charges, absl::Duration without) const {
    const auto& backoff = verdict_.outcome->backoff;
    if (derived_ == v1::CRASH_LOOP && !expects_derived_) {
      return backoff ? Spread(backoff->max, backoff->jitter, case_.identity)
                     : kCrashLoopDelay;
    }
    return backoff ? RetryDelay(*backoff, charges, case_.identity) : without;
  }

  // Whether a pod or index started after `delay` is past the deadline of its
  // Job, which goes on counting; recreated objects start a new clock.
  bool MissesDeadline(absl::Duration delay) const {
    if (case_.workload.kind() != "Job" || case_.report.jobs_size() != 1) {
      return false;
    }
    const auto& job = case_.report.jobs(0);
    if (!job.spec().has_active_deadline_seconds() ||
        job.status().start_time().seconds() == 0) {
      return false;
    }
    v1::Scope scope = verdict_.scope;
    if (scope == v1::SCOPE_UNSPECIFIED) {
      scope = NaturalScope(case_.report, case_.workload, v1::RETRY);
    }
    if (scope > v1::INDEX) return false;
    return case_.now + delay >=
           ToTime(job.status().start_time()) +
               absl::Seconds(job.spec().active_deadline_seconds());
  }

  std::int64_t MaxAttempts() const {
    return case_.policy.max_attempts + change_.more_attempts;
  }

  const Case& case_;
  const WhatIf& change_;
  Accounts& accounts_;
  v1::Cause cause_;
  v1::Cause derived_;
  bool expects_derived_ = false;  // the rule names the derived cause itself
  int budget_ = kNoBudget;
  std::optional<absl::Duration> wait_at_most_;
  Verdict verdict_;
};

}  // namespace

const char* NameOf(DecidedBy check) {
  switch (check) {
    case DecidedBy::kNotAFailure:
      return "not-a-failure";
    case DecidedBy::kRule:
      return "rule";
    case DecidedBy::kDefault:
      return "default";
    case DecidedBy::kEvidence:
      return "evidence";
    case DecidedBy::kGrace:
      return "grace";
    case DecidedBy::kKillSwitch:
      return "kill-switch";
    case DecidedBy::kDeadline:
      return "deadline";
    case DecidedBy::kMaxAttempts:
      return "max-attempts";
    case DecidedBy::kBudget:
      return "budget";
    case DecidedBy::kDerivedCause:
      return "derived-cause";
  }
  return "";
}

Verdict Evaluate(const Case& failure, const WhatIf& change,
                 Accounts& accounts) {
  if (change.budget != kNoBudget) {
    accounts.ShiftLimit(change.budget, change.more_limit);
  }
  return Evaluation(failure, change, accounts).Run();
}

}  // namespace mulligan
