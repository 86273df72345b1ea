#include "policy/verdict/ledger_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/base/times.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/ledger.h"
#include "policy/budget/seeding.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/request/recorded.h"
#include "policy/verdict/brake.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/ledger_owner.h"

namespace mulligan {
namespace {

// Returns the request's ledger, tied to the workload if something is broken.
LedgerState OpenLedger(const FailureContext& at, bool broken) {
  LedgerState before{MakePart<v1::BudgetLedger>(at.arena())};
  v1::BudgetLedger& ledger = *before.ledger;
  if (at.request.has_ledger()) {
    ledger = at.request.ledger();
    if (at.workload->uid().empty() && !ledger.workload_uid().empty()) {
      before.warnings.push_back(absl::StrCat(
          "ledger.workloadUid is ", ledger.workload_uid(),
          ", but the report names no UID: whose ledger it is was not checked"));
    }
  }
  if (broken) TieLedger(at.ledger_owner, false, ledger);
  return before;
}

bool IsOfPastAttempt(const FailureContext& at, const v1::BudgetLedger& ledger) {
  return at.report().has_attempt() &&
         IsPastAttempt(ledger, at.report().attempt());
}

// Returns the current failure as this report shows it. Refers to its arguments.
ReportedFailure CurrentFailure(const FailureContext& at,
                               const Diagnosed& diagnosed,
                               const v1::BudgetLedger& ledger,
                               const NativeCount& count) {
  return {at.owners,
          *at.workload,
          diagnosed.what(),
          diagnosed.id,
          at.report().has_attempt() && !IsOfPastAttempt(at, ledger),
          count.counted};
}

// Returns whether the record is of a pod, but not of one in this failure.
bool IsOfAnother(const FailureContext& at, const Diagnosed& diagnosed,
                 const v1::AttemptRecord& record) {
  const auto is_of = [&](int pod) {
    return record.failure_id() == IdOfPod(at.owners, *at.workload, pod) ||
           record.failure_id() == IdWithWorkload(at.owners, *at.workload, pod);
  };
  const auto& pods = diagnosed.what().incident.pods;
  return !pods.empty() && !record.named() && !diagnosed.id.named &&
         std::ranges::none_of(pods, is_of);
}

// Returns whether the latest record grants a retry after a failure of the
// program, and the owner has since ended the work by a rule of its own. That
// takes the retry back. After a disruption such a rule shows what the owner
// does, not what it wants.
bool IsEndedSince(const Diagnosed& diagnosed, int known,
                  const v1::BudgetLedger& ledger) {
  const v1::AttemptRecord& record = ledger.history(known);
  return diagnosed.what().cause == v1::DECLARED_FATAL &&
         record.cause() != v1::DECLARED_FATAL &&
         RowOf(record.cause()).domain == v1::Diagnosis::APPLICATION &&
         record.decision().action() == v1::Decision::RETRY &&
         known == ledger.history_size() - 1;
}

// Returns whether the report only has an operator's unexplained summary of work
// that was given up: its counter went on, but the reason is known.
bool IsGivenUp(const FailureContext& at, const Diagnosed& diagnosed,
               const v1::BudgetLedger& ledger) {
  if (ledger.history().empty() || !diagnosed.what().incident.summary)
    return false;
  const v1::AttemptRecord& last = *ledger.history().rbegin();
  // The object had failed when the work was found to be done (NoteDone).
  if (last.cause() == v1::CANCELLED) {
    return at.owners.failed_since &&
           *at.owners.failed_since <= last.observed_at().seconds();
  }
  return IsUnexplained(diagnosed.what().cause) &&
         last.decision().action() == v1::Decision::FAIL &&
         last.decision().scope() >= v1::Decision::JOB;
}

// Sets the state of the failure with record `known`, -1 if none.
LedgerState WithStatus(const FailureContext& at, const Diagnosed& diagnosed,
                       int known, LedgerState before) {
  v1::BudgetLedger& ledger = *before.ledger;
  before.status = LedgerStatus::kNew;
  if (known >= 0) {
    if (IsOvertaken(ledger, known)) {
      before.status = LedgerStatus::kOvertaken;
      return before;
    }
    const v1::AttemptRecord& record = ledger.history(known);
    // An operator's summary adds nothing to a wait that was based on it.
    const bool waits = IsPending(record) && diagnosed.what().incident.summary;
    if (waits ||
        (IsRepeatable(record) && !IsEndedSince(diagnosed, known, ledger))) {
      before.status = LedgerStatus::kDecided;
      before.record = known;
      before.of_another = IsOfAnother(at, diagnosed, record);
      return before;
    }
    if (!IsPending(record) && !IsRepeatable(record)) {
      before.warnings.push_back(
          absl::StrCat("ledger.history[", known,
                       "] says what only a newer version knows: this failure "
                       "is decided again, and charged once"));
    }
    before.record = known;
    before.taken_back = record;
    before.status = LedgerStatus::kReopened;
    TakeBack(known, ledger);
  }
  if (IsOfPastAttempt(at, ledger)) before.status = LedgerStatus::kPast;
  return before;
}

// Returns whether others were retrying when the failure's pods were visible,
// and have not given up since.
bool IsLeftToOthers(const FailureContext& at, const Diagnosed& diagnosed,
                    int known, const v1::BudgetLedger& ledger) {
  return known >= 0 && !at.owners.gave_up() &&
         diagnosed.what().incident.pods.empty() &&
         IsUnderstood(ledger.history(known)) &&
         ledger.history(known).decision().action() == v1::Decision::IGNORE;
}

// Returns the record of the last failure if the object failed for good: its
// status describes that one, whichever pods remain.
int LatestOf(const Owners& owners, int known, const v1::BudgetLedger& ledger) {
  constexpr std::int64_t kClockSkew = 10;  // seconds
  if (known < 0 || !owners.failed_since || !IsOvertaken(ledger, known)) {
    return known;
  }
  const int last = ledger.history_size() - 1;
  const auto& ended = ledger.history(last).finished_at();
  return ended.seconds() > 0 &&
                 *owners.failed_since + kClockSkew >= ended.seconds()
             ? last
             : known;
}

// An operator that decides has its own counters; the ledger only stores them.
LedgerState RecallForOperator(const FailureContext& at,
                              const Diagnosed& diagnosed, LedgerState before) {
  const int known = FindFailure(*before.ledger, diagnosed.id.id);
  before = WithStatus(at, diagnosed, known, std::move(before));
  if (before.status == LedgerStatus::kDecided || at.request.has_ledger()) {
    return before;
  }
  const NativeCount count = CountNativeFailures(at.owners, diagnosed.earlier());
  if (count.failures > 0) {
    SeedLedger(count, count.failures, SeedBudget(at.compiled()), at.budgets(),
               *before.ledger);
  }
  return before;
}

// One failure has one cause: the recorded one, unless more is known now.
void UseRecordedCause(const v1::AttemptRecord& record, Diagnosed& diagnosed) {
  if (!KnowsLess(diagnosed.what(), record)) return;
  Failure& failure = diagnosed.mutable_what();
  failure.set_aside = failure.cause;
  failure.cause = record.cause();
  failure.domain = RowOf(record.cause()).domain;
  if (kNoFailures.Contains(failure.cause)) {
    failure.situation = v1::Diagnosis::FINISHED;
  }
  failure.outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  failure.outlook_reason.clear();
}

// Describes a failure that only the ledger has.
void DescribeFromRecord(const v1::AttemptRecord& record, Failure& failure) {
  failure.set_aside = failure.cause;
  failure.cause = record.cause();
  failure.domain = RowOf(failure.cause).domain;
  failure.fingerprint = record.fingerprint();
  failure.finished_at = record.finished_at();
  failure.culprit.node = record.node();
  failure.confidence = v1::Diagnosis::MEDIUM;
}

// Returns whether the ledger's last failure, which the report no longer shows,
// is still news: the next attempt has not outlived it.
bool IsStillRelevant(const FailureContext& at, const Diagnosed& diagnosed,
                     const v1::BudgetLedger& ledger) {
  if (diagnosed.what().situation != v1::Diagnosis::ALIVE ||
      diagnosed.what().cause != v1::NOT_FAILED ||
      diagnosed.findings.succeeded || ledger.history().empty()) {
    return false;
  }
  const v1::AttemptRecord& last = *ledger.history().rbegin();
  return IsUnderstood(last) && !kNoFailures.Contains(last.cause()) &&
         !IsOutlived(at.now, diagnosed.findings.runs_since, RecordedEnd(last),
                     demystify::kOutlives * ToDuration(last.ran_for()));
}

// Returns whether the report of running work only has an operator's counter,
// and every failure that it counts has a record.
bool CountsOnlyRecorded(const FailureContext& at, const Diagnosed& diagnosed,
                        const v1::BudgetLedger& ledger) {
  const Failure& failure = diagnosed.what();
  return failure.situation == v1::Diagnosis::ALIVE &&
         failure.incident.summary && IsUnexplained(failure.cause) &&
         !ledger.history().empty() &&
         CountNativeFailures(at.owners, 0).counted <= ledger.attempts_seen();
}

// Describes work to be stopped by its latest failure.
void SetLoop(const EndOfRetries& stop, Diagnosed& diagnosed) {
  Failure& failure = diagnosed.mutable_what();
  const bool says_less =
      failure.incident.summary && IsUnexplained(failure.cause);
  if (failure.cause == v1::NOT_FAILED || says_less) {
    DescribeFromRecord(stop.record, failure);
  }
  failure.alike = stop.alike;
  if (stop.alike == 0) return;
  failure.outlook = v1::Diagnosis::CANNOT_RECOVER;
  failure.outlook_reason =
      absl::StrCat(stop.alike, " attempts in a row ",
                   stop.unlike ? "could not recover" : "ended alike",
                   ", and the next is unchanged");
}

// A failure of a past attempt is settled.
void SetStale(Diagnosed& diagnosed) {
  Failure& failure = diagnosed.mutable_what();
  failure.set_aside = failure.cause;
  failure.cause = v1::STALE_REPORT;
  failure.domain = v1::Diagnosis::NONE;
  failure.confidence = v1::Diagnosis::HIGH;
  failure.situation = v1::Diagnosis::FINISHED;
  failure.outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  failure.outlook_reason.clear();
}

// For running work the ledger remembers what failed.
LedgerState RecallRetried(const FailureContext& at, const Diagnosed& diagnosed,
                          LedgerState before) {
  // The pod that shows this may be gone when it is reported again.
  const Failure& failure = diagnosed.what();
  if (failure.cause == v1::CANCELLED && !failure.culprit.pod.empty() &&
      at.owners.gave_up()) {
    NoteDone(at, diagnosed, *before.ledger);
  }
  if ((failure.situation == v1::Diagnosis::ALIVE ||
       failure.cause == v1::SUCCEEDED) &&
      diagnosed.earlier() > 0) {
    v1::BudgetLedger& ledger = *before.ledger;
    const v1::BudgetLedger as_sent = ledger;
    TieLedger(at.ledger_owner, false, ledger);
    if (!NoteRetried(at, diagnosed, ledger)) ledger = as_sent;
  }
  before.stop = FindStop(at, diagnosed, *before.ledger);
  return before;
}

}  // namespace

LedgerState ReadLedgerState(const FailureContext& at,
                            const Diagnosed& diagnosed) {
  LedgerState before = OpenLedger(at, diagnosed.is_broken());
  if (at.decides_natively()) {
    return RecallForOperator(at, diagnosed, std::move(before));
  }
  if (!diagnosed.is_broken())
    return RecallRetried(at, diagnosed, std::move(before));
  if (diagnosed.id.from_time_only) {
    before.warnings.emplace_back(
        "nothing in the report distinguishes this failure from the next one, "
        "so its id comes from observedAt; send failureId or attempt");
  }
  const NativeCount count = CountNativeFailures(at.owners, diagnosed.earlier());
  int known = FindKnown(*before.ledger,
                        CurrentFailure(at, diagnosed, *before.ledger, count));
  if (known < 0 && IsGivenUp(at, diagnosed, *before.ledger)) {
    known = before.ledger->history_size() - 1;
  }
  known = LatestOf(at.owners, known, *before.ledger);
  if (IsLeftToOthers(at, diagnosed, known, *before.ledger)) {
    before.record = known;
    return before;
  }
  before = WithStatus(at, diagnosed, known, std::move(before));
  if (before.is_settled()) return before;
  std::string warning = RememberNativeCount(count, *before.ledger);
  if (!warning.empty()) before.warnings.push_back(std::move(warning));
  std::vector<std::string> charged =
      ChargeEarlierAttempts(at, diagnosed, count, *before.ledger);
  before.warnings.insert(before.warnings.end(),
                         std::make_move_iterator(charged.begin()),
                         std::make_move_iterator(charged.end()));
  return before;
}

namespace {

void CompareWithAll(const FailureContext& at, const v1::BudgetLedger& ledger,
                    Diagnosed& diagnosed) {
  CompareWithFleet(at, ledger, diagnosed);
  CompareWithHistory(at, ledger, at.report().progress(), diagnosed);
}

}  // namespace

void Compare(const FailureContext& at, const LedgerState& before,
             Diagnosed& diagnosed) {
  diagnosed.status = before.status;
  if (diagnosed.is_broken() && before.status == LedgerStatus::kNotBroken) {
    diagnosed.mutable_what().situation = v1::Diagnosis::ALIVE;
    UseRecordedCause(before.ledger->history(before.record), diagnosed);
    return;
  }
  if (before.is_stale()) {
    SetStale(diagnosed);
  } else if (before.status == LedgerStatus::kDecided) {
    UseRecordedCause(before.ledger->history(before.record), diagnosed);
  } else if (before.stop) {
    SetLoop(*before.stop, diagnosed);
  } else if (before.status == LedgerStatus::kReopened) {
    UseRecordedCause(*before.taken_back, diagnosed);
    CompareWithAll(at, *before.ledger, diagnosed);
  } else if (IsStillRelevant(at, diagnosed, *before.ledger)) {
    DescribeFromRecord(*before.ledger->history().rbegin(),
                       diagnosed.mutable_what());
  } else if (CountsOnlyRecorded(at, diagnosed, *before.ledger)) {
    UseRecordedCause(*before.ledger->history().rbegin(), diagnosed);
  } else if (const int known =
                 RecordOfRetried(at, diagnosed.findings, *before.ledger);
             known >= 0 && diagnosed.what().cause != v1::NOT_FAILED) {
    UseRecordedCause(before.ledger->history(known), diagnosed);
  } else if (diagnosed.is_broken()) {
    CompareWithAll(at, *before.ledger, diagnosed);
  }
}

}  // namespace mulligan
