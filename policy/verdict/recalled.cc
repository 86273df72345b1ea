#include "policy/verdict/recalled.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "policy/budget/known_failure.h"
#include "policy/budget/ledger.h"
#include "policy/budget/seeding.h"
#include "policy/demystify/causes.h"
#include "policy/verdict/brake.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/ledger_owner.h"

namespace mulligan {
namespace {

// The request's ledger, tied to the workload.
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
  // What is not broken leaves the ledger as it was.
  if (broken) TieLedger(at.owners, *at.workload, false, ledger);
  return before;
}

bool IsOfPastAttempt(const Situated& at, const v1::BudgetLedger& ledger) {
  return at.report().has_attempt() &&
         IsPastAttempt(ledger, at.report().attempt());
}

// The failure at hand as this report tells it. Holds references to its
// arguments.
ToldFailure ToldNow(const Situated& at, const Diagnosed& told,
                    const v1::BudgetLedger& ledger, const NativeCount& count) {
  return {at.owners,
          *at.workload,
          told.findings.incident,
          told.id,
          told.diagnosis->cause(),
          told.diagnosis->finished_at(),
          at.report().has_attempt() && !IsOfPastAttempt(at, ledger),
          count.counted};
}

// Whether the record is of a pod, and of none of those that are told.
bool IsOfAnother(const Situated& at, const Diagnosed& told,
                 const v1::AttemptRecord& record) {
  const auto is_of = [&](int pod) {
    return record.failure_id() == IdOfPod(at.owners, *at.workload, pod) ||
           record.failure_id() == IdWithWorkload(at.owners, *at.workload, pod);
  };
  const auto& pods = told.findings.incident.pods;
  return !pods.empty() && !record.named() && !told.id.named &&
         std::ranges::none_of(pods, is_of);
}

// Whether the owner of the work has ended it by a rule of its own since a retry
// was granted after a failure of the program, which is the latest: that is
// taken back. Of a disruption such a rule shows what the owner does, not what
// it wants.
bool IsEndedSince(const Diagnosed& told, int known,
                  const v1::BudgetLedger& ledger) {
  const v1::AttemptRecord& record = ledger.history(known);
  return told.diagnosis->cause() == v1::DECLARED_FATAL &&
         record.cause() != v1::DECLARED_FATAL &&
         RowOf(record.cause()).domain == v1::Diagnosis::APPLICATION &&
         record.decision().action() == v1::Decision::RETRY &&
         known == ledger.history_size() - 1;
}

// What nobody has explained; anything else says more.
bool IsUnexplained(v1::Cause cause) {
  return cause == v1::UNKNOWN || cause == v1::APP_ERROR ||
         cause == v1::SIGKILL_UNEXPLAINED || cause == v1::SIGTERM_UNEXPLAINED;
}

// Whether an operator's summary that explains nothing is all that is told of
// work that was given up: its counter went on, and why is known already.
bool IsGivenUp(const Diagnosed& told, const v1::BudgetLedger& ledger) {
  if (ledger.history().empty() || !told.findings.incident.summary ||
      !IsUnexplained(told.diagnosis->cause())) {
    return false;
  }
  const v1::Decision& last = ledger.history().rbegin()->decision();
  return last.action() == v1::Decision::FAIL &&
         last.scope() >= v1::Decision::JOB;
}

// Where the failure stands that has the record `known`; -1: it has none.
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
    // An operator's summary knows no more than a wait that was decided by it.
    const bool waits = IsPending(record) && told.findings.incident.summary;
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
    TakeBack(known, ledger);
    before.standing = Standing::kDecidedAnew;
  }
  if (IsOfPastAttempt(at, ledger)) before.standing = Standing::kPast;
  return before;
}

// Of the object that failed for good: what it says is about its last failure,
// whichever of its pods are left to show.
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

// An operator that decides has its own counters: the ledger only remembers
// them.
Recalled RecallForOperator(const Situated& at, const Diagnosed& told,
                           Recalled before) {
  const int known = FindFailure(*before.ledger, told.id.id);
  before = Stand(at, told, known, std::move(before));
  if (before.standing == Standing::kDecided || at.request.has_ledger()) {
    return before;
  }
  const NativeCount count = CountNativeFailures(at.owners, told.earlier());
  if (count.failures > 0) {
    SeedLedger(count, count.failures, at.compiled(), *before.ledger);
  }
  return before;
}

// Whether the report tells less of a failure than was known when the record of
// it was made: without its pods, or by a guess.
bool TellsLess(const Diagnosed& told, const v1::AttemptRecord& record) {
  const v1::Diagnosis& diagnosis = *told.diagnosis;
  if (record.cause() == diagnosis.cause() || IsUnexplained(record.cause()) ||
      record.cause() == v1::CAUSE_UNSPECIFIED) {
    return false;
  }
  return told.findings.incident.pods.empty() ||
         IsUnexplained(diagnosis.cause()) ||
         diagnosis.confidence() == v1::Diagnosis::LOW;
}

// One failure has one cause: what it was decided as, unless more is known now.
Diagnosed AsRecorded(Diagnosed told, const v1::AttemptRecord& record) {
  if (!TellsLess(told, record)) return told;
  v1::Diagnosis& diagnosis = *told.diagnosis;
  v1::ConsideredCause& weaker = *diagnosis.add_considered();
  weaker.set_cause(diagnosis.cause());
  weaker.set_why_not("it was decided before, when more was told");
  diagnosis.set_cause(record.cause());
  diagnosis.set_fault_domain(RowOf(record.cause()).domain);
  diagnosis.set_summary(
      absl::StrCat("decided before, when more was told, as ",
                   absl::AsciiStrToLower(absl::StrReplaceAll(
                       v1::Cause_Name(record.cause()), {{"_", " "}})),
                   "; now: ", diagnosis.summary()));
  diagnosis.clear_outlook();
  diagnosis.clear_outlook_reason();
  return told;
}

// A loop that goes on, by its latest failure, whether the report still shows it
// or only the ledger does.
Diagnosed AsLoop(Diagnosed told, const EndOfRetries& stop) {
  v1::Diagnosis& diagnosis = *told.diagnosis;
  if (diagnosis.cause() == v1::NOT_FAILED) {
    const CauseRow& row = RowOf(stop.record.cause());
    diagnosis.set_cause(stop.record.cause());
    diagnosis.set_fault_domain(row.domain);
    diagnosis.set_fingerprint(stop.record.fingerprint());
    *diagnosis.mutable_finished_at() = stop.record.finished_at();
    diagnosis.mutable_culprit()->set_node(stop.record.node());
    diagnosis.set_confidence(v1::Diagnosis::MEDIUM);
    diagnosis.set_summary(
        absl::StrCat("The attempt before ended with ",
                     absl::AsciiStrToLower(absl::StrReplaceAll(
                         v1::Cause_Name(stop.record.cause()), {{"_", " "}})),
                     ", and the next one goes on."));
  }
  diagnosis.set_outlook(v1::Diagnosis::CANNOT_RECOVER);
  diagnosis.set_outlook_reason(absl::StrCat(
      stop.alike, " attempts in a row ended alike, and the next is unchanged"));
  return told;
}

// Whatever an attempt died of that is past is settled.
Diagnosed AsStale(Diagnosed told, std::string summary) {
  v1::Diagnosis& diagnosis = *told.diagnosis;
  v1::ConsideredCause& rejected = *diagnosis.add_considered();
  rejected.set_cause(diagnosis.cause());
  rejected.set_why_not("the attempt was decided before");
  diagnosis.set_cause(v1::STALE_REPORT);
  diagnosis.set_fault_domain(v1::Diagnosis::NONE);
  diagnosis.set_confidence(v1::Diagnosis::HIGH);
  diagnosis.set_situation(v1::Diagnosis::FINISHED);
  diagnosis.clear_outlook();
  diagnosis.clear_outlook_reason();
  diagnosis.set_summary(std::move(summary));
  return told;
}

// Of work that goes on the ledger remembers what failed.
Recalled RecallRetried(const Situated& at, const Diagnosed& told,
                       Recalled before) {
  if (told.diagnosis->situation() == v1::Diagnosis::ALIVE &&
      told.earlier() > 0) {
    v1::BudgetLedger& ledger = *before.ledger;
    const v1::BudgetLedger as_sent = ledger;
    TieLedger(at.owners, *at.workload, false, ledger);
    NoteRetried(at, told.findings, ledger);
    if (ledger.attempts_seen() == as_sent.attempts_seen()) ledger = as_sent;
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
  if (known < 0 && IsGivenUp(told, *before.ledger)) {
    known = before.ledger->history_size() - 1;
  }
  known = LatestOf(at.owners, known, *before.ledger);
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

Diagnosed Compared(const Situated& at, Diagnosed told, const Recalled& before) {
  switch (before.standing) {
    case Standing::kOvertaken:
      return AsStale(std::move(told),
                     "This failure was decided before, and the whole workload "
                     "was given up or started again since");
    case Standing::kPast:
      return AsStale(
          std::move(told),
          absl::StrFormat("Attempt %d or a later one was decided already under "
                          "another failure id",
                          at.report().attempt()));
    case Standing::kDecided:
      return AsRecorded(std::move(told), before.ledger->history(before.record));
    default:
      if (before.stop) return AsLoop(std::move(told), *before.stop);
      if (!told.is_broken()) return told;
      return WithHistory(at, WithFleet(at, std::move(told), *before.ledger),
                         *before.ledger, at.report().progress());
  }
}

}  // namespace mulligan
