#include "policy/verdict/verdict.h"

#include <algorithm>
#include <utility>

#include "policy/base/times.h"
#include "policy/budget/history.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/seeding.h"
#include "policy/demystify/causes.h"
#include "policy/request/workload.h"
#include "policy/rules/backoff.h"
#include "policy/verdict/expected.h"
#include "policy/verdict/reach.h"

namespace mulligan {
namespace {

// Backoff of a crash loop if the rule has none.
constexpr absl::Duration kCrashLoopDelay = absl::Minutes(10);
// Longest time between two looks at work that has not started.
constexpr absl::Duration kLongestLook = absl::Minutes(11);

// The inputs of one evaluation: the case with the change applied.
struct Question {
  const Case& failure;
  const WhatIf& change;
  v1::Cause cause;
  v1::DerivedCause derived;

  std::int64_t MaxAttempts() const {
    return std::int64_t{failure.at.max_attempts()} + change.more_attempts;
  }
};

struct Draft {
  Verdict verdict;
  int budget = kNoBudget;                      // that pays for a retry
  std::optional<absl::Duration> wait_at_most;  // the rest of the grace
  bool at_once = false;                        // it has waited long enough
};

Question QuestionOf(const Case& failure, const WhatIf& change) {
  const bool other_cause = change.cause != v1::CAUSE_UNSPECIFIED;
  return {failure, change, other_cause ? change.cause : failure.what().cause,
          other_cause || change.without_derived_cause
              ? v1::DERIVED_CAUSE_UNSPECIFIED
              : failure.what().derived_cause};
}

void Want(const CompiledOutcome& outcome, const v1::RuleReference& rule,
          DecidedBy decided_by, Draft& draft) {
  Verdict& verdict = draft.verdict;
  verdict.outcome = &outcome;
  verdict.rule = &rule;
  verdict.decided_by = decided_by;
  verdict.action = outcome.action;
  verdict.scope = outcome.scope;
  draft.budget = outcome.budget;
}

// Returns whether only an operator's counter or summary reports the failure,
// and its cause is a guess: "the Job used up its retries".
bool IsOnlyCounted(const Failure& failure) {
  return failure.incident.summary && IsUnexplained(failure.cause) &&
         failure.confidence == v1::Diagnosis::LOW;
}

// Returns whether only an operator's message reports the failure, it would say
// the same after a disruption ("its node died" in KubeRay 1.6, exit code 143),
// and all failures before were disruptions.
bool MayBeDisruption(const Case& failure) {
  const Failure& what = failure.what();
  return (what.cause == v1::NODE_LOST ||
          what.cause == v1::SIGTERM_UNEXPLAINED) &&
         what.incident.pods.empty() &&
         !failure.at.report().has_ended_attempt() &&
         std::ranges::all_of(failure.ledger.history(), [](const auto& record) {
           return RowOf(record.cause()).domain == v1::Diagnosis::DISRUPTION;
         });
}

void WantDefault(const Case& failure, DecidedBy decided_by, Draft& draft) {
  Want(failure.policy().fallback, failure.policy().fallback_reference,
       decided_by, draft);
}

// 1. Only broken work is charged, retried or failed.
std::optional<Verdict> NotAFailure(const Question& question) {
  const Case& failure = question.failure;
  Verdict verdict;
  verdict.decided_by = v1::Explanation::NOT_A_FAILURE;
  verdict.action = v1::Decision::IGNORE;
  if (question.cause == v1::SUSPENDED) {
    verdict.action = v1::Decision::WAIT;
    verdict.delay = kPollInterval;
    return verdict;
  }
  if (!kNoFailures.Contains(question.cause)) {
    const v1::Diagnosis::Situation situation = failure.what().situation;
    if ((situation != v1::Diagnosis::ALIVE &&
         situation != v1::Diagnosis::FINISHED) ||
        question.change.cause != v1::CAUSE_UNSPECIFIED) {
      return std::nullopt;
    }
  } else if (question.cause != v1::NOT_FAILED) {
    return verdict;
  }
  if (!failure.diagnosed.findings.ask_again) return verdict;
  const absl::Duration left =
      *failure.diagnosed.findings.ask_again - failure.now();
  verdict.action = v1::Decision::WAIT;
  verdict.delay = left > absl::ZeroDuration() ? std::min(left, kLongestLook)
                                              : kPollInterval;
  return verdict;
}

// 2. What the policy wants.
Draft MatchRule(const Question& question) {
  const Case& failure = question.failure;
  const Facts facts = FactsOf(failure, question.cause, question.derived);
  const CompiledPolicy& policy = failure.policy();
  Draft draft;
  for (const int index : policy.RulesOf(question.cause)) {
    const CompiledRule& rule = policy.rule(index);
    if (!Matches(rule.when, facts)) continue;
    draft.verdict.rules_tried = index;
    draft.verdict.by_history = !rule.when.derived_causes.empty();
    Want(rule.then, rule.reference, v1::Explanation::RULE, draft);
    return draft;
  }
  draft.verdict.rules_tried = static_cast<int>(policy.rules.size());
  WantDefault(failure, v1::Explanation::DEFAULT, draft);
  return draft;
}

// 3. Before the evidence deadline a doubtful case waits; after it a WAIT ends.
void AwaitEvidence(const Question& question, Draft& draft) {
  const Case& failure = question.failure;
  Verdict& verdict = draft.verdict;
  if (!verdict.outcome->evidence_deadline) return;
  const absl::Time deadline =
      failure.diagnosed.findings.since.value_or(failure.now()) +
      *verdict.outcome->evidence_deadline;
  if (verdict.outcome->action == v1::Decision::WAIT) {
    if (failure.now() < deadline) {
      verdict.grace_unknown = !failure.diagnosed.findings.since;
      verdict.evidence_deadline = deadline;
    } else if (verdict.decided_by == v1::Explanation::RULE) {
      WantDefault(failure, v1::Explanation::EVIDENCE, draft);
    }
    return;
  }
  // Without a start the wait would not end, so decide at once.
  if (failure.what().doubtful && failure.diagnosed.findings.since &&
      failure.now() < deadline) {
    verdict.action = v1::Decision::WAIT;
    verdict.decided_by = v1::Explanation::EVIDENCE;
    verdict.evidence_deadline = deadline;
    draft.budget = kNoBudget;
  }
}

// Only a retry can show whether an incident is over.
Turn TurnOf(const Question& question, const Draft& draft,
            const CompiledGrace& grace) {
  return draft.verdict.by_history && question.derived == v1::INCIDENT &&
                 grace.action == v1::Decision::RETRY
             ? question.failure.diagnosed.turn
             : Turn::kWait;
}

// 4. A wait longer than its grace ends. It ends at once for work that was given
//    up, unless the cause is shared by many workloads.
void EndGrace(const Question& question, Draft& draft) {
  const Case& failure = question.failure;
  Verdict& verdict = draft.verdict;
  const auto& grace = verdict.outcome->after_grace;
  if (!grace || verdict.action != v1::Decision::WAIT) return;
  const bool is_over = failure.at.owners.gave_up() && !draft.verdict.by_history;
  if (!is_over && !failure.diagnosed.findings.since) {
    verdict.grace_unknown = true;
    return;
  }
  const absl::Time end = is_over
                             ? failure.now()
                             : *failure.diagnosed.findings.since + grace->grace;
  if (failure.now() < end) {
    const Turn turn = TurnOf(question, draft, *grace);
    if (turn == Turn::kWait) {
      draft.wait_at_most = end - failure.now();
      return;
    }
    verdict.canary = turn == Turn::kCanary;
    draft.at_once = true;
  }
  verdict.action = grace->action;
  verdict.decided_by =
      verdict.canary ? v1::Explanation::CANARY : v1::Explanation::GRACE;
  verdict.evidence_deadline.reset();
  draft.budget = grace->budget;
}

// 5. An object that its operator has given up does not continue, so an endless
//    wait becomes a retry with a new object.
void EndFutileWait(const Question& question, Draft& draft) {
  const Case& failure = question.failure;
  if (draft.verdict.action != v1::Decision::WAIT ||
      draft.verdict.outcome->after_grace || draft.verdict.evidence_deadline ||
      !IsInFinalState(failure.owners, failure.workload())) {
    return;
  }
  if (draft.budget == kNoBudget) {
    WantDefault(failure, v1::Explanation::DEFAULT, draft);
  }
  if (draft.budget != kNoBudget) draft.verdict.action = v1::Decision::RETRY;
}

void Refuse(DecidedBy decided_by, v1::AttemptRecord::Refusal refused_by,
            Verdict& verdict) {
  verdict.action = v1::Decision::FAIL;
  verdict.canary = false;
  verdict.decided_by = decided_by;
  verdict.refused_by = refused_by;
}

void RefuseByCap(const Question& question, Verdict& verdict) {
  verdict.used = question.failure.attempts;
  verdict.bound = question.MaxAttempts();
  Refuse(v1::Explanation::MAX_ATTEMPTS, v1::AttemptRecord::MAX_ATTEMPTS,
         verdict);
}

void RefuseByBudget(const Question& question, const Accounts& accounts,
                    int budget, Verdict& verdict) {
  const CompiledBudget& exhausted =
      question.failure.policy().budgets[static_cast<std::size_t>(budget)];
  Refuse(v1::Explanation::BUDGET, v1::AttemptRecord::BUDGET, verdict);
  verdict.refusing_budget = budget;
  verdict.used = accounts.at(budget).used;
  verdict.bound = accounts.at(budget).limit;
  if (exhausted.on_exhausted != v1::Decision::RETRY) {
    verdict.action = exhausted.on_exhausted;
  }
  if (exhausted.exhausted_scope != v1::Decision::SCOPE_UNSPECIFIED) {
    verdict.scope = exhausted.exhausted_scope;
  }
  verdict.evidence_deadline.reset();
}

// Applies refunds, then looks for the budget that pays.
Payer FindPayer(const Case& failure, const Draft& draft, Accounts& accounts) {
  if (failure.refund) accounts.Refund(failure.progress(), failure.ledger);
  return accounts.FindPayer(draft.budget);
}

void Charge(const Case& failure, int budget, Accounts& accounts,
            Verdict& verdict) {
  accounts.Charge(budget, failure.diagnosed.failed_at);
  verdict.charged = budget;
  verdict.used = accounts.at(budget).used;
  verdict.bound = accounts.at(budget).limit;
}

absl::Duration DelayOf(const Question& question, const Draft& draft,
                       std::int64_t charges,
                       absl::Duration without = absl::ZeroDuration()) {
  const auto& backoff = draft.verdict.outcome->backoff;
  const std::uint64_t identity = question.failure.diagnosed.identity;
  if (draft.at_once) return absl::ZeroDuration();
  if (question.derived == v1::CRASH_LOOP && !draft.verdict.by_history) {
    return backoff ? Spread(backoff->max, backoff->jitter, identity)
                   : kCrashLoopDelay;
  }
  return backoff ? RetryDelay(*backoff, charges, identity) : without;
}

// 6. What prevents a retry. If nothing does, grants and charges it.
void Retry(const Question& question, Accounts& accounts, Draft& draft) {
  const Case& failure = question.failure;
  Verdict& verdict = draft.verdict;
  if (failure.policy().kill_switch && !question.change.without_kill_switch) {
    return Refuse(v1::Explanation::KILL_SWITCH, v1::AttemptRecord::KILL_SWITCH,
                  verdict);
  }
  if (MissesDeadline(failure, verdict.scope, absl::ZeroDuration())) {
    return Refuse(v1::Explanation::DEADLINE, v1::AttemptRecord::DEADLINE,
                  verdict);
  }
  // Attempts are never refunded, so past a stated cap nothing is given back.
  // Other refunds remain even if the retry cannot be paid for.
  const bool capped = failure.attempts >= question.MaxAttempts();
  if (capped && failure.policy().max_attempts_given) {
    return RefuseByCap(question, verdict);
  }
  // A limit that was too low is charged once, however often others retried
  // without raising it, and a lost node once for all its pods.
  const bool charges = draft.budget != kNoBudget;
  const bool lost = charges && IsPaidLoss(failure.ledger, failure.what());
  const bool paid =
      lost || (charges && Grows(verdict) &&
               TriedUnchanged(failure.ledger, failure.what()).paid);
  const Payer payer = FindPayer(failure, draft, accounts);
  if (payer.budget == kNoBudget && !paid) {
    return RefuseByBudget(question, accounts, payer.exhausted, verdict);
  }
  const int budget = paid ? draft.budget : payer.budget;
  // The implied cap is the sum of the budgets. If both are reached, the budget
  // is the better explanation.
  if (capped) return RefuseByCap(question, verdict);
  if (!draft.verdict.by_history && (question.derived == v1::POISON_JOB ||
                                    question.derived == v1::DETERMINISTIC)) {
    return Refuse(v1::Explanation::DERIVED_CAUSE,
                  v1::AttemptRecord::DERIVED_CAUSE, verdict);
  }
  if (draft.verdict.outcome->passes &&
      question.change.cause == v1::CAUSE_UNSPECIFIED) {
    const CompiledWorth& worth = failure.policy().worth;
    verdict.passes = PassesOf(
        worth, question.change.passes.value_or(*verdict.outcome->passes),
        failure.stake);
    if (LosesHours(worth, *verdict.passes, failure.stake)) {
      return Refuse(v1::Explanation::EXPECTED_HOURS,
                    v1::AttemptRecord::EXPECTED_HOURS, verdict);
    }
  }
  // Time since the failure counts towards the delay. Nothing is started while a
  // pod still has its grace period.
  const absl::Duration stopping =
      failure.diagnosed.findings.gone_at.value_or(failure.now()) -
      failure.now();
  const absl::Duration delay = std::max(
      {DelayOf(question, draft, accounts.at(budget).used + (lost ? 0 : 1)) -
           (failure.now() - failure.diagnosed.failed_at),
       stopping, absl::ZeroDuration()});
  if (MissesDeadline(failure, verdict.scope, delay)) {
    return Refuse(v1::Explanation::DEADLINE, v1::AttemptRecord::DEADLINE,
                  verdict);
  }
  verdict.delay = delay;
  if (!paid) Charge(failure, budget, accounts, verdict);
  verdict.last_attempt =
      failure.attempts + std::int64_t{1} >= question.MaxAttempts() ||
      accounts.FindPayer(draft.budget).budget == kNoBudget;
}

void Wait(const Question& question, Accounts& accounts, Draft& draft) {
  const Case& failure = question.failure;
  std::int64_t charges = 1;
  if (draft.budget != kNoBudget) {
    const Payer payer = FindPayer(failure, draft, accounts);
    if (payer.budget == kNoBudget) {
      return RefuseByBudget(question, accounts, payer.exhausted, draft.verdict);
    }
    Charge(failure, payer.budget, accounts, draft.verdict);
    charges = draft.verdict.used;
  }
  absl::Duration delay = DelayOf(question, draft, charges, kPollInterval);
  if (draft.wait_at_most) delay = std::min(delay, *draft.wait_at_most);
  if (draft.verdict.evidence_deadline) {
    delay = std::min(delay, *draft.verdict.evidence_deadline - failure.now());
  }
  draft.verdict.delay = delay;
}

Verdict Ruled(const Question& question, Accounts& accounts) {
  if (std::optional<Verdict> verdict = NotAFailure(question)) return *verdict;
  Draft draft = MatchRule(question);
  const bool counted = IsOnlyCounted(question.failure.what());
  if (draft.budget != kNoBudget &&
      (counted || MayBeDisruption(question.failure))) {
    const CompiledPolicy& policy = question.failure.policy();
    const int otherwise = counted ? SeedBudget(policy) : draft.budget;
    draft.budget =
        BudgetOfOneMore(policy, question.failure.ledger, "", otherwise);
    if (draft.budget == kNoBudget) draft.budget = otherwise;
  }
  AwaitEvidence(question, draft);
  EndGrace(question, draft);
  EndFutileWait(question, draft);
  if (draft.verdict.action == v1::Decision::RETRY) {
    Retry(question, accounts, draft);
  } else if (draft.verdict.action == v1::Decision::WAIT) {
    Wait(question, accounts, draft);
  }
  return std::move(draft.verdict);
}

}  // namespace

Priced Price(const Case& failure, const WhatIf& change) {
  Priced priced{{}, {failure.at.budgets(), failure.ledger, failure.now()}};
  auto& [verdict, accounts] = priced;
  if (change.budget != kNoBudget) {
    accounts.ShiftLimit(change.budget, change.more_limit);
  }
  verdict = Ruled(QuestionOf(failure, change), accounts);
  if (verdict.scope == v1::Decision::SCOPE_UNSPECIFIED) {
    verdict.scope = ScopeOf(failure, verdict.action);
  }
  verdict.recorded = verdict.charged != kNoBudget ||
                     verdict.action == v1::Decision::RETRY ||
                     verdict.action == v1::Decision::FAIL ||
                     verdict.action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
  return priced;
}

std::optional<absl::Duration> DelayOfMember(const Case& member,
                                            const v1::AttemptRecord& decided) {
  const WhatIf as_it_is;
  const Draft draft = MatchRule(QuestionOf(member, as_it_is));
  const CompiledOutcome& wanted = *draft.verdict.outcome;
  if (wanted.action != v1::Decision::RETRY || !wanted.backoff) {
    return std::nullopt;
  }
  return MemberDelay(
      *wanted.backoff, decided.used(), member.diagnosed.identity,
      ToTime(decided.observed_at()) - member.diagnosed.failed_at);
}

}  // namespace mulligan
