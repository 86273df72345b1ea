#include "policy/verdict/earlier_attempts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/ledger.h"
#include "policy/budget/seeding.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/verdict/escalation.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/reach.h"
#include "policy/verdict/record.h"
#include "policy/verdict/verdict.h"

namespace mulligan {
namespace {

// An earlier attempt with the id it has on its own.
struct Told {
  const Failure* attempt;
  FailureId id;
};

FailureId IdOf(const Situated& at, const Failure& earlier) {
  FailureId id;
  id.id = IdOfPod(at.owners, *at.workload, earlier.incident.pods.front());
  return id;
}

ToldFailure ToldOf(const Situated& at, const Failure& earlier,
                   const FailureId& id) {
  return {at.owners,     *at.workload, earlier, id, /*new_attempt=*/false,
          /*counted=*/-1};
}

// Those that the ledger does not have, oldest first.
std::vector<Told> NotInLedger(const Situated& at, const Findings& findings,
                              const v1::BudgetLedger& ledger) {
  std::vector<Told> unseen;
  for (const Failure& earlier : findings.earlier) {
    if (earlier.incident.pods.empty() ||
        earlier.situation != v1::Diagnosis::BROKEN) {
      continue;
    }
    FailureId id = IdOf(at, earlier);
    if (FindKnown(ledger, ToldOf(at, earlier, id)) < 0) {
      unseen.push_back({&earlier, std::move(id)});
    }
  }
  return unseen;
}

std::int64_t EndOf(const v1::AttemptRecord& record) {
  return (IsSet(record.finished_at()) ? record.finished_at()
                                      : record.observed_at())
      .seconds();
}

// Removes from `unseen` those that the ledger counted before it could know
// more of them. `gone` failures are not in the report at all.
void LeaveOutCounted(const v1::BudgetLedger& ledger, std::int32_t seen,
                     std::int32_t gone, std::vector<Told>& unseen) {
  const std::int64_t records =
      std::int64_t{ledger.history_size()} + ledger.history_dropped();
  const std::int64_t elsewhere =
      records - (seen - static_cast<std::int64_t>(unseen.size()));
  std::int64_t unknown = std::int64_t{ledger.attempts_seen()} - records -
                         std::max<std::int64_t>(gone - elsewhere, 0);
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  for (const v1::AttemptRecord& record : ledger.history()) {
    newest = std::max(newest, EndOf(record));
  }
  const auto counted = [&](const Told& told) {
    // What happened since was not counted yet.
    const absl::Time ended =
        told.attempt->incident.struck.value_or(absl::UnixEpoch());
    if (unknown <= 0 ||
        (!ledger.history().empty() && ended > absl::FromUnixSeconds(newest))) {
      return false;
    }
    --unknown;
    return true;
  };
  unseen.erase(std::remove_if(unseen.begin(), unseen.end(), counted),
               unseen.end());
}

// A report of some pods of another, without copying them: for the gangs that
// reports are large by. Only to be read, and not longer than the other.
class PartOfReport {
 public:
  PartOfReport(const v1::FailureReport& whole, const Failure& attempt) {
    // The Jobs tell of work that is open; what is past they have left behind.
    if (attempt.open) {
      for (const auto& job : whole.jobs()) {
        part_.mutable_jobs()->UnsafeArenaAddAllocated(
            const_cast<kubernetes::batch::v1::Job*>(&job));
      }
    }
    for (const int pod : attempt.incident.pods) {
      part_.mutable_pods()->UnsafeArenaAddAllocated(
          // The field takes no other; nobody changes it.
          const_cast<kubernetes::core::v1::Pod*>(&whole.pods(pod)));
    }
  }
  ~PartOfReport() {
    // They are the other's to delete.
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

// Decides about one earlier attempt as if it had been told at its time, and
// records it. Returns the budget that paid; empty: none.
std::string Record(const Situated& at, const Told& told,
                   v1::BudgetLedger& ledger) {
  const PartOfReport report(at.report(), *told.attempt);
  Diagnosed diagnosed = DiagnosedEarlier(at, *told.attempt, told.id);
  CompareWithHistory(at, ledger, v1::Progress::default_instance(), diagnosed);
  const Owners owners(*report);
  const Case failure = CaseOf(at, diagnosed, ledger, owners, /*refund=*/false);
  const auto [verdict, accounts] = Price(failure);
  if (!verdict.recorded) return {};
  v1::Decision decision;
  std::vector<std::string> warnings;
  FillDecision(failure, verdict, decision, warnings);
  // Nobody was told, so nothing new was done for the attempt that followed.
  if (!told.attempt->open) {
    RepeatEarlierGrowth(ledger, told.attempt->incident.part, decision);
    decision.clear_placement();
  } else {
    FillEscalation(failure, verdict, accounts, decision);
  }
  v1::AttemptRecord record;
  FillRecord(failure, verdict, decision, record);
  std::string budget = record.charged_to();
  Book(accounts, failure.attempts, record, ledger);
  return budget;
}

}  // namespace

void NoteRetried(const Situated& at, const Findings& findings,
                 v1::BudgetLedger& ledger) {
  std::vector<Told> unseen = NotInLedger(at, findings, ledger);
  LeaveOutCounted(ledger,
                  static_cast<std::int32_t>(findings.earlier.size()) +
                      findings.more_earlier,
                  0, unseen);
  for (const Told& one : unseen) {
    const PartOfReport report(at.report(), *one.attempt);
    Diagnosed diagnosed = DiagnosedEarlier(at, *one.attempt, one.id);
    CompareWithHistory(at, ledger, v1::Progress::default_instance(), diagnosed);
    const Owners owners(*report);
    const Case failure =
        CaseOf(at, diagnosed, ledger, owners, /*refund=*/false);
    Verdict verdict = Price(failure).verdict;
    // What is refused for now may be granted when the caller has to decide.
    const bool is_rules = verdict.action == v1::Decision::FAIL ||
                          verdict.action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
    const bool stays =
        is_rules &&
        (verdict.refused_by == v1::AttemptRecord::REFUSAL_UNSPECIFIED ||
         verdict.refused_by == v1::AttemptRecord::DERIVED_CAUSE);
    if (!stays) {
      verdict = Verdict();
      verdict.action = v1::Decision::IGNORE;
    }
    v1::Decision decision;
    decision.set_action(verdict.action);
    if (stays) decision.set_scope(verdict.scope);
    v1::AttemptRecord record;
    FillRecord(failure, verdict, decision, record);
    AddRecord(failure.attempts, record, ledger);
  }
}

void NoteDone(const Situated& at, const Diagnosed& told,
              v1::BudgetLedger& ledger) {
  if (FindFailure(ledger, told.id.id) >= 0) return;
  TieLedger(at.owners, *at.workload, false, ledger);
  const Case done = CaseOf(at, told, ledger, at.owners, /*refund=*/false);
  v1::Decision decision;
  decision.set_action(v1::Decision::IGNORE);
  decision.set_scope(ScopeOf(done, decision.action()));
  v1::AttemptRecord record;
  FillRecord(done, Verdict(), decision, record);
  AddRecord(done.attempts, record, ledger);
}

std::vector<std::string> ChargeEarlierAttempts(const Situated& at,
                                               const Diagnosed& told,
                                               const NativeCount& count,
                                               v1::BudgetLedger& ledger) {
  const std::int32_t seen = told.earlier();
  if (seen == 0 && count.failures == 0) return {};
  std::vector<Told> unseen = NotInLedger(at, told.findings, ledger);
  LeaveOutCounted(ledger, seen, count.failures, unseen);
  const auto to_record = static_cast<std::int64_t>(unseen.size());
  const std::int64_t missing =
      std::int64_t{count.failures} + seen - ledger.attempts_seen() - to_record;
  std::map<std::string, int> charged;
  for (const Told& one : unseen) {
    const std::string budget = Record(at, one, ledger);
    // What is open beside the one at hand is told on its own.
    if (one.attempt->open) continue;
    ++charged[budget.empty() ? "no budget" : budget];
  }
  std::vector<std::string> warnings;
  // After those that are told, which may tell what the others were.
  if (missing > 0) {
    NativeCount source = count;
    if (source.source.empty()) source.source = "the report";
    warnings.push_back(SeedLedger(source, static_cast<std::int32_t>(missing),
                                  at.compiled(), ledger));
  }
  if (charged.empty()) return warnings;
  std::vector<std::string> parts;
  for (const auto& [budget, failures] : charged) {
    parts.push_back(absl::StrCat(failures, " to ", budget));
  }
  warnings.push_back(
      absl::StrCat("earlier failed attempts in the report that the "
                   "ledger lacked were charged: ",
                   absl::StrJoin(parts, ", ")));
  return warnings;
}

std::vector<OpenFailure> OpenFailuresIn(const Situated& at,
                                        const Findings& findings,
                                        const v1::BudgetLedger& ledger) {
  std::vector<OpenFailure> all;
  for (const Failure& earlier : findings.earlier) {
    if (!earlier.open) continue;
    const FailureId id = IdOf(at, earlier);
    const ToldFailure told = ToldOf(at, earlier, id);
    const int record = FindKnown(ledger, told);
    if (record < 0) continue;
    all.push_back(
        {&earlier, id.id, record, FindKnown(at.request.ledger(), told) >= 0});
  }
  return all;
}

}  // namespace mulligan
