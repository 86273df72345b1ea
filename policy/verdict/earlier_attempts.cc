#include "policy/verdict/earlier_attempts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/budget/history.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/ledger.h"
#include "policy/budget/seeding.h"
#include "policy/demystify/causes.h"
#include "policy/request/recorded.h"
#include "policy/request/workload.h"
#include "policy/verdict/escalation.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/reach.h"
#include "policy/verdict/record.h"
#include "policy/verdict/verdict.h"

namespace mulligan {
namespace {

// An earlier attempt with its own id.
struct UnrecordedAttempt {
  const Failure* attempt;
  FailureId id;
};

FailureId IdOf(const FailureContext& at, const Failure& earlier) {
  FailureId id;
  // An attempt without objects is the only one of its report, and may be named.
  if (earlier.incident.of_object || at.report().has_ended_attempt()) {
    return FailureIdOf(at.owners, *at.workload, earlier.incident, at.now);
  }
  id.id = IdOfPod(at.owners, *at.workload, earlier.incident.pods.front());
  return id;
}

ReportedFailure ReportedFailureOf(const FailureContext& at,
                                  const Failure& earlier, const FailureId& id) {
  return {at.owners,
          *at.workload,
          earlier,
          id,
          /*new_attempt=*/false,
          CountNativeFailures(at.owners, 0).counted};
}

// Returns the earlier attempts that the ledger lacks, oldest first.
std::vector<UnrecordedAttempt> NotInLedger(const FailureContext& at,
                                           const Findings& findings,
                                           const v1::BudgetLedger& ledger) {
  std::vector<UnrecordedAttempt> unseen;
  for (const Failure& earlier : findings.earlier) {
    const Incident& incident = earlier.incident;
    if ((incident.pods.empty() && !incident.of_object) ||
        earlier.situation != v1::Diagnosis::BROKEN) {
      continue;
    }
    FailureId id = IdOf(at, earlier);
    if (FindKnown(ledger, ReportedFailureOf(at, earlier, id)) < 0) {
      unseen.push_back({&earlier, std::move(id)});
    }
  }
  return unseen;
}

// Takes back records of retries by others that no budget paid, if the report
// now shows more, as when the root of a gang appears after its members.
void TakeBackUnpaid(const FailureContext& at, const Findings& findings,
                    v1::BudgetLedger& ledger) {
  for (const Failure& earlier : findings.earlier) {
    if (earlier.incident.pods.empty() ||
        earlier.situation != v1::Diagnosis::BROKEN) {
      continue;
    }
    const FailureId id = IdOf(at, earlier);
    const int known = FindKnown(ledger, ReportedFailureOf(at, earlier, id));
    if (known < 0) continue;
    const v1::AttemptRecord& record = ledger.history(known);
    if (record.decision().action() == v1::Decision::IGNORE &&
        record.charged_to().empty() && record.cause() != earlier.cause &&
        !IsUnexplained(earlier.cause) && !KnowsLess(earlier, record)) {
      TakeBack(known, ledger);
    }
  }
}

// Removes attempts from `unseen` that the ledger counted before they were
// visible. `gone` failures are not in the report.
void RemoveCounted(const v1::BudgetLedger& ledger, std::int32_t seen,
                   std::int32_t gone, std::vector<UnrecordedAttempt>& unseen) {
  const std::int64_t records =
      std::int64_t{ledger.history_size()} + ledger.history_dropped();
  const std::int64_t elsewhere =
      records - (seen - static_cast<std::int64_t>(unseen.size()));
  std::int64_t unknown = std::int64_t{ledger.attempts_seen()} - records -
                         std::max<std::int64_t>(gone - elsewhere, 0);
  absl::Time newest = absl::InfinitePast();
  for (const v1::AttemptRecord& record : ledger.history()) {
    newest = std::max(newest, RecordedEnd(record));
  }
  const auto counted = [&](const UnrecordedAttempt& unrecorded) {
    // Later failures cannot have been counted yet.
    const absl::Time ended =
        unrecorded.attempt->incident.struck.value_or(absl::UnixEpoch());
    if (unknown <= 0 || (!ledger.history().empty() && ended > newest)) {
      return false;
    }
    --unknown;
    return true;
  };
  unseen.erase(std::remove_if(unseen.begin(), unseen.end(), counted),
               unseen.end());
}

// A read-only report of some of a report's pods, without copying them, because
// large reports have large gangs. The whole report must outlive it.
class PartOfReport {
 public:
  PartOfReport(const v1::FailureReport& whole, const Failure& attempt) {
    // Jobs describe only work that is still open.
    if (attempt.open) {
      for (const auto& job : whole.jobs()) {
        part_.mutable_jobs()->UnsafeArenaAddAllocated(
            const_cast<kubernetes::batch::v1::Job*>(&job));
      }
    }
    for (const int pod : attempt.incident.pods) {
      part_.mutable_pods()->UnsafeArenaAddAllocated(
          // The field takes no const pointer; the pod is not modified.
          const_cast<kubernetes::core::v1::Pod*>(&whole.pods(pod)));
    }
  }
  ~PartOfReport() {
    // The whole report owns the objects.
    auto& pods = *part_.mutable_pods();
    while (!pods.empty()) pods.UnsafeArenaReleaseLast();
    auto& jobs = *part_.mutable_jobs();
    while (!jobs.empty()) jobs.UnsafeArenaReleaseLast();
  }
  PartOfReport(const PartOfReport&) = delete;
  PartOfReport& operator=(const PartOfReport&) = delete;

  const v1::FailureReport& operator*() const { return part_; }

 private:
  v1::FailureReport part_;
};

// Charges for an attempt that others make although a rule says that it is
// hopeless, as the policy would for the cause alone.
void ChargeHopelessAttempt(const Case& failure, Verdict& verdict,
                           Accounts& accounts) {
  Diagnosed hopeful = failure.diagnosed;
  hopeful.mutable_what().outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  hopeful.mutable_what().derived_cause = v1::DERIVED_CAUSE_UNSPECIFIED;
  const Priced priced = Price(CaseOf(failure.at, hopeful, failure.ledger,
                                     failure.owners, /*refund=*/false));
  accounts = priced.accounts;
  verdict.charged = priced.verdict.charged;
  verdict.used = priced.verdict.used;
  verdict.bound = priced.verdict.bound;
}

bool IsRetried(const Failure& failure) {
  return failure.retried_by != v1::AttemptRecord::RETRIED_BY_UNSPECIFIED;
}

// Returns whether the kubelet or an operator started the next attempt. If
// another pod followed a failed pod, its operator retried it, unless the caller
// replaces the operator.
bool IsRetriedElsewhere(const FailureContext& at, const Failure& attempt) {
  return IsRetried(attempt) ||
         (!attempt.open && !at.request.replaces_operator());
}

// An attempt left to others is charged as the policy's verdict says.
void LeaveToOthers(Verdict& verdict) {
  verdict.action = v1::Decision::IGNORE;
  verdict.refused_by = v1::AttemptRecord::REFUSAL_UNSPECIFIED;
  verdict.refusing_budget = kNoBudget;
  verdict.delay.reset();
}

// Returns whether the policy's verdict holds although others retry: the policy
// binds them, or they keep retrying without the resource that the work lacked.
// Never for independent pods, which the brake ignores. `ends` is how often the
// container has ended.
bool OverridesOthers(const Case& failure, const Verdict& verdict,
                     const Findings& findings, int ends) {
  const CompiledBrake& brake = failure.policy().brake;
  if (brake.mode == v1::Brake::NEVER || findings.apart) return false;
  if (brake.mode == v1::Brake::POLICY && IsRefusal(verdict.action)) {
    return true;
  }
  return Grows(verdict) &&
         TriedUnchanged(failure.ledger, failure.what()).times +
                 Unrecorded(failure.ledger, ends - 1) >=
             brake.same_failure;
}

// Decides and records an earlier attempt as if reported in time. Returns the
// budget that paid; empty if none did.
std::string Record(const FailureContext& at,
                   const UnrecordedAttempt& unrecorded,
                   const Findings& findings, v1::BudgetLedger& ledger) {
  const PartOfReport report(at.report(), *unrecorded.attempt);
  Diagnosed diagnosed =
      DiagnosedEarlier(at, *unrecorded.attempt, unrecorded.id);
  CompareWithHistory(at, ledger, v1::Progress::default_instance(), diagnosed);
  const Owners owners(*report);
  const Case failure = CaseOf(at, diagnosed, ledger, owners, /*refund=*/false);
  auto [verdict, accounts] = Price(failure);
  const bool others = IsRetriedElsewhere(at, *unrecorded.attempt);
  // More evidence may still change which budget pays.
  if (others && verdict.evidence_deadline) return {};
  if (!others && !verdict.recorded) return {};
  if (!IsRefusal(verdict.action) || !IsByRule(verdict.refused_by)) {
    const bool last = unrecorded.attempt == &findings.earlier.back();
    if (others && !OverridesOthers(failure, verdict, findings,
                                   last ? findings.ends : 0)) {
      LeaveToOthers(verdict);
    }
  } else if (others || !unrecorded.attempt->open) {
    ChargeHopelessAttempt(failure, verdict, accounts);
  }
  // A message without a reason is counted as one of the known failures.
  if (others && unrecorded.attempt->incident.of_object &&
      IsUnexplained(unrecorded.attempt->cause) &&
      BudgetOfOneMore(at.compiled(), ledger, "", 0) == kNoBudget) {
    verdict.charged = kNoBudget;
    accounts = Accounts(at.budgets(), ledger, at.now);
  }
  v1::Decision decision;
  std::vector<std::string> warnings;
  FillDecision(failure, verdict, decision, warnings);
  if (others && verdict.action == v1::Decision::RETRY) {
    decision.set_requires_recreate(true);
    decision.set_scope(
        DefaultScope(at.report(), *at.workload, v1::Decision::FAIL));
    decision.clear_retry_after();
    FillEscalation(failure, verdict, accounts, decision);
  } else if (!unrecorded.attempt->open) {
    // Its verdict was never returned, so the next attempt had no advice.
    RepeatEarlierGrowth(ledger, unrecorded.attempt->incident.part, decision);
    decision.clear_placement();
  } else if (!others) {
    FillEscalation(failure, verdict, accounts, decision);
  }
  v1::AttemptRecord record;
  FillRecord(failure, verdict, decision, record);
  if (others) {
    const auto by = unrecorded.attempt->retried_by;
    record.set_retried_by(by == v1::AttemptRecord::RETRIED_BY_UNSPECIFIED
                              ? v1::AttemptRecord::OPERATOR
                              : by);
  }
  std::string budget = record.charged_to();
  Book(accounts, failure.attempts, record, ledger);
  return budget;
}

// Returns whether the current failure, retried like those before it, costs
// nothing: no rule charges it, or its memory limit is already paid.
bool CostsNothing(const FailureContext& at, const Diagnosed& diagnosed,
                  const v1::BudgetLedger& ledger) {
  const Failure& failure = diagnosed.what();
  if (RowOf(failure.cause).gang == GangClass::kMemory) {
    return !at.request.replaces_operator();
  }
  return !failure.fingerprint.empty() &&
         Price(CaseOf(at, diagnosed, ledger, at.owners, /*refund=*/false))
                 .verdict.charged == kNoBudget;
}

}  // namespace

bool NoteRetried(const FailureContext& at, const Diagnosed& diagnosed,
                 v1::BudgetLedger& ledger) {
  const Findings& findings = diagnosed.findings;
  const bool succeeded = diagnosed.what().cause == v1::SUCCEEDED;
  TakeBackUnpaid(at, findings, ledger);
  std::vector<UnrecordedAttempt> unseen = NotInLedger(at, findings, ledger);
  RemoveCounted(ledger,
                static_cast<std::int32_t>(findings.earlier.size()) +
                    findings.more_earlier,
                0, unseen);
  bool changed = false;
  for (const UnrecordedAttempt& one : unseen) {
    // Open failures that the operator does not retry are decided separately.
    if (one.attempt->open && !IsRetried(*one.attempt)) continue;
    // What ends after the success belongs to nothing that was tried again.
    const auto struck = one.attempt->incident.struck;
    if (succeeded && (!struck || !findings.since || *struck >= *findings.since))
      continue;
    const std::int32_t before = ledger.attempts_seen();
    Record(at, one, findings, ledger);
    changed = changed || ledger.attempts_seen() != before;
  }
  return changed;
}

int RecordOfRetried(const FailureContext& at, const Findings& findings,
                    const v1::BudgetLedger& ledger) {
  if (findings.earlier.empty()) return -1;
  const Failure& last = findings.earlier.back();
  if (last.open || !IsRetried(last)) return -1;
  return FindKnown(ledger, ReportedFailureOf(at, last, IdOf(at, last)));
}

void NoteDone(const FailureContext& at, const Diagnosed& diagnosed,
              v1::BudgetLedger& ledger) {
  if (FindFailure(ledger, diagnosed.id.id) >= 0) return;
  TieLedger(at.ledger_owner, false, ledger);
  const Case done = CaseOf(at, diagnosed, ledger, at.owners, /*refund=*/false);
  v1::Decision decision;
  decision.set_action(v1::Decision::IGNORE);
  decision.set_scope(ScopeOf(done, decision.action()));
  v1::AttemptRecord record;
  FillRecord(done, Verdict(), decision, record);
  AddRecord(done.attempts, record, ledger);
}

std::vector<std::string> ChargeEarlierAttempts(const FailureContext& at,
                                               const Diagnosed& diagnosed,
                                               const NativeCount& count,
                                               v1::BudgetLedger& ledger) {
  const std::int32_t seen = diagnosed.earlier();
  if (seen == 0 && count.failures == 0) return {};
  std::vector<UnrecordedAttempt> unseen =
      NotInLedger(at, diagnosed.findings, ledger);
  RemoveCounted(ledger, seen, count.failures, unseen);
  const auto to_record = static_cast<std::int64_t>(unseen.size());
  const std::int64_t missing =
      std::int64_t{count.failures} + seen - ledger.attempts_seen() - to_record;
  std::map<std::string, int> charged;
  for (const UnrecordedAttempt& one : unseen) {
    const std::string budget = Record(at, one, diagnosed.findings, ledger);
    // Other open failures are reported separately.
    if (one.attempt->open) continue;
    ++charged[budget.empty() ? "not charged" : "charged to " + budget];
  }
  std::vector<std::string> warnings;
  // Comes after the reported attempts, which may explain the others.
  if (missing > 0) {
    NativeCount source = count;
    if (source.source.empty()) source.source = "the report";
    int budget = SeedBudget(at.compiled());
    if (!ledger.history().empty()) {
      budget = BudgetOfOneMore(at.compiled(), ledger,
                               diagnosed.what().fingerprint, budget);
    } else if (CostsNothing(at, diagnosed, ledger)) {
      budget = kNoBudget;
    }
    warnings.push_back(SeedLedger(source, static_cast<std::int32_t>(missing),
                                  budget, at.budgets(), ledger));
  }
  if (charged.empty()) return warnings;
  std::vector<std::string> parts;
  for (const auto& [how, failures] : charged) {
    parts.push_back(absl::StrCat(failures, " ", how));
  }
  warnings.push_back(
      absl::StrCat("earlier failed attempts in the report that the "
                   "ledger lacked were recorded: ",
                   absl::StrJoin(parts, ", ")));
  return warnings;
}

std::vector<OpenFailure> OpenFailuresIn(const FailureContext& at,
                                        const Findings& findings,
                                        const v1::BudgetLedger& ledger) {
  std::vector<OpenFailure> all;
  for (const Failure& earlier : findings.earlier) {
    if (!earlier.open) continue;
    const FailureId id = IdOf(at, earlier);
    const ReportedFailure reported = ReportedFailureOf(at, earlier, id);
    const int record = FindKnown(ledger, reported);
    if (record < 0) continue;
    all.push_back({&earlier, id.id, record,
                   FindKnown(at.request.ledger(), reported) >= 0});
  }
  return all;
}

}  // namespace mulligan
