#include "policy/verdict/recalled.h"

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
Recalled OpenLedger(const Situated& at, bool broken) {
  Recalled before{MakePart<v1::BudgetLedger>(at.arena())};
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

bool IsOfPastAttempt(const Situated& at, const v1::BudgetLedger& ledger) {
  return at.report().has_attempt() &&
         IsPastAttempt(ledger, at.report().attempt());
}

// Returns the current failure as this report shows it. Refers to its arguments.
ToldFailure ToldNow(const Situated& at, const Diagnosed& told,
                    const v1::BudgetLedger& ledger, const NativeCount& count) {
  return {at.owners,
          *at.workload,
          told.what(),
          told.id,
          at.report().has_attempt() && !IsOfPastAttempt(at, ledger),
          count.counted};
}

// Returns whether the record is of a pod, but not of one in this failure.
bool IsOfAnother(const Situated& at, const Diagnosed& told,
                 const v1::AttemptRecord& record) {
  const auto is_of = [&](int pod) {
    return record.failure_id() == IdOfPod(at.owners, *at.workload, pod) ||
           record.failure_id() == IdWithWorkload(at.owners, *at.workload, pod);
  };
  const auto& pods = told.what().incident.pods;
  return !pods.empty() && !record.named() && !told.id.named &&
         std::ranges::none_of(pods, is_of);
}

// Returns whether the latest record grants a retry after a failure of the
// program, and the owner has since ended the work by a rule of its own. That
// takes the retry back. After a disruption such a rule shows what the owner
// does, not what it wants.
bool IsEndedSince(const Diagnosed& told, int known,
                  const v1::BudgetLedger& ledger) {
  const v1::AttemptRecord& record = ledger.history(known);
  return told.what().cause == v1::DECLARED_FATAL &&
         record.cause() != v1::DECLARED_FATAL &&
         RowOf(record.cause()).domain == v1::Diagnosis::APPLICATION &&
         record.decision().action() == v1::Decision::RETRY &&
         known == ledger.history_size() - 1;
}

// Returns whether the report only has an operator's unexplained summary of work
// that was given up: its counter went on, but the reason is known.
bool IsGivenUp(const Situated& at, const Diagnosed& told,
               const v1::BudgetLedger& ledger) {
  if (ledger.history().empty() || !told.what().incident.summary) return false;
  const v1::AttemptRecord& last = *ledger.history().rbegin();
  // The object had failed when the work was found to be done (NoteDone).
  if (last.cause() == v1::CANCELLED) {
    return at.owners.failed_since &&
           *at.owners.failed_since <= last.observed_at().seconds();
  }
  return IsUnexplained(told.what().cause) &&
         last.decision().action() == v1::Decision::FAIL &&
         last.decision().scope() >= v1::Decision::JOB;
}

// Sets the state of the failure with record `known`, -1 if none.
Recalled Stand(const Situated& at, const Diagnosed& told, int known,
               Recalled before) {
  v1::BudgetLedger& ledger = *before.ledger;
  before.standing = Standing::kNew;
  if (known >= 0) {
    if (IsOvertaken(ledger, known)) {
      before.standing = Standing::kOvertaken;
      return before;
    }
    const v1::AttemptRecord& record = ledger.history(known);
    // An operator's summary adds nothing to a wait that was based on it.
    const bool waits = IsPending(record) && told.what().incident.summary;
    if (waits || (IsRepeatable(record) && !IsEndedSince(told, known, ledger))) {
      before.standing = Standing::kDecided;
      before.record = known;
      before.of_another = IsOfAnother(at, told, record);
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
    before.standing = Standing::kDecidedAnew;
    TakeBack(known, ledger);
  }
  if (IsOfPastAttempt(at, ledger)) before.standing = Standing::kPast;
  return before;
}

// Returns whether others were retrying when the failure's pods were visible,
// and have not given up since.
bool IsLeftToOthers(const Situated& at, const Diagnosed& told, int known,
                    const v1::BudgetLedger& ledger) {
  return known >= 0 && !at.owners.gave_up() &&
         told.what().incident.pods.empty() &&
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
Recalled RecallForOperator(const Situated& at, const Diagnosed& told,
                           Recalled before) {
  const int known = FindFailure(*before.ledger, told.id.id);
  before = Stand(at, told, known, std::move(before));
  if (before.standing == Standing::kDecided || at.request.has_ledger()) {
    return before;
  }
  const NativeCount count = CountNativeFailures(at.owners, told.earlier());
  if (count.failures > 0) {
    SeedLedger(count, count.failures, SeedBudget(at.compiled()), at.budgets(),
               *before.ledger);
  }
  return before;
}

// One failure has one cause: the recorded one, unless more is known now.
void SetAsRecorded(const v1::AttemptRecord& record, Diagnosed& told) {
  if (!TellsLess(told.what(), record)) return;
  Failure& failure = told.mutable_what();
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
void NameAs(const v1::AttemptRecord& record, Failure& failure) {
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
bool IsNews(const Situated& at, const Diagnosed& told,
            const v1::BudgetLedger& ledger) {
  if (told.what().situation != v1::Diagnosis::ALIVE ||
      told.what().cause != v1::NOT_FAILED || ledger.history().empty()) {
    return false;
  }
  const v1::AttemptRecord& last = *ledger.history().rbegin();
  return IsUnderstood(last) && !kNoFailures.Contains(last.cause()) &&
         !IsOutlived(at.now, told.findings.runs_since, RecordedEnd(last),
                     demystify::kOutlives * ToDuration(last.ran_for()));
}

// Returns whether the report of running work only has an operator's counter,
// and every failure that it counts has a record.
bool CountsWhatIsKnown(const Situated& at, const Diagnosed& told,
                       const v1::BudgetLedger& ledger) {
  const Failure& failure = told.what();
  return failure.situation == v1::Diagnosis::ALIVE &&
         failure.incident.summary && IsUnexplained(failure.cause) &&
         !ledger.history().empty() &&
         CountNativeFailures(at.owners, 0).counted <= ledger.attempts_seen();
}

// Describes work to be stopped by its latest failure.
void SetLoop(const EndOfRetries& stop, Diagnosed& told) {
  Failure& failure = told.mutable_what();
  const bool says_less =
      failure.incident.summary && IsUnexplained(failure.cause);
  if (failure.cause == v1::NOT_FAILED || says_less) {
    NameAs(stop.record, failure);
  }
  failure.alike = stop.alike;
  if (stop.alike == 0) return;
  failure.outlook = v1::Diagnosis::CANNOT_RECOVER;
  failure.outlook_reason = absl::StrCat(
      stop.alike, " attempts in a row ended alike, and the next is unchanged");
}

// A failure of a past attempt is settled.
void SetStale(Diagnosed& told) {
  Failure& failure = told.mutable_what();
  failure.set_aside = failure.cause;
  failure.cause = v1::STALE_REPORT;
  failure.domain = v1::Diagnosis::NONE;
  failure.confidence = v1::Diagnosis::HIGH;
  failure.situation = v1::Diagnosis::FINISHED;
  failure.outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  failure.outlook_reason.clear();
}

// For running work the ledger remembers what failed.
Recalled RecallRetried(const Situated& at, const Diagnosed& told,
                       Recalled before) {
  // The pod that shows this may be gone when it is reported again.
  const Failure& failure = told.what();
  if (failure.cause == v1::CANCELLED && !failure.culprit.pod.empty() &&
      at.owners.gave_up()) {
    NoteDone(at, told, *before.ledger);
  }
  if (told.what().situation == v1::Diagnosis::ALIVE && told.earlier() > 0) {
    v1::BudgetLedger& ledger = *before.ledger;
    const v1::BudgetLedger as_sent = ledger;
    TieLedger(at.ledger_owner, false, ledger);
    if (!NoteRetried(at, told.findings, ledger)) ledger = as_sent;
  }
  before.stop = FindStop(at, told, *before.ledger);
  return before;
}

}  // namespace

Recalled Recall(const Situated& at, const Diagnosed& told) {
  Recalled before = OpenLedger(at, told.is_broken());
  if (at.decides_natively()) {
    return RecallForOperator(at, told, std::move(before));
  }
  if (!told.is_broken()) return RecallRetried(at, told, std::move(before));
  if (told.id.from_time_only) {
    before.warnings.emplace_back(
        "nothing in the report tells this failure from the next one, so its id "
        "comes from observedAt; send failureId or attempt");
  }
  const NativeCount count = CountNativeFailures(at.owners, told.earlier());
  int known =
      FindKnown(*before.ledger, ToldNow(at, told, *before.ledger, count));
  if (known < 0 && IsGivenUp(at, told, *before.ledger)) {
    known = before.ledger->history_size() - 1;
  }
  known = LatestOf(at.owners, known, *before.ledger);
  if (IsLeftToOthers(at, told, known, *before.ledger)) {
    before.record = known;
    return before;
  }
  before = Stand(at, told, known, std::move(before));
  if (before.is_settled()) return before;
  std::string anew = RememberNativeCount(count, *before.ledger);
  if (!anew.empty()) before.warnings.push_back(std::move(anew));
  std::vector<std::string> charged =
      ChargeEarlierAttempts(at, told, count, *before.ledger);
  before.warnings.insert(before.warnings.end(),
                         std::make_move_iterator(charged.begin()),
                         std::make_move_iterator(charged.end()));
  return before;
}

namespace {

void CompareWithAll(const Situated& at, const v1::BudgetLedger& ledger,
                    Diagnosed& told) {
  CompareWithFleet(at, ledger, told);
  CompareWithHistory(at, ledger, at.report().progress(), told);
}

}  // namespace

void Compare(const Situated& at, const Recalled& before, Diagnosed& told) {
  told.standing = before.standing;
  if (told.is_broken() && before.standing == Standing::kNotBroken) {
    told.mutable_what().situation = v1::Diagnosis::ALIVE;
    SetAsRecorded(before.ledger->history(before.record), told);
    return;
  }
  if (before.is_stale()) {
    SetStale(told);
  } else if (before.standing == Standing::kDecided) {
    SetAsRecorded(before.ledger->history(before.record), told);
  } else if (before.stop) {
    SetLoop(*before.stop, told);
  } else if (before.standing == Standing::kDecidedAnew) {
    SetAsRecorded(*before.taken_back, told);
    CompareWithAll(at, *before.ledger, told);
  } else if (IsNews(at, told, *before.ledger)) {
    NameAs(*before.ledger->history().rbegin(), told.mutable_what());
  } else if (CountsWhatIsKnown(at, told, *before.ledger)) {
    SetAsRecorded(*before.ledger->history().rbegin(), told);
  } else if (const int known =
                 RecordOfRetried(at, told.findings, *before.ledger);
             known >= 0) {
    SetAsRecorded(before.ledger->history(known), told);
  } else if (told.is_broken()) {
    CompareWithAll(at, *before.ledger, told);
  }
}

}  // namespace mulligan
