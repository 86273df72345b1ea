#include "policy/budget/known_failure.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "policy/base/indexes.h"
#include "policy/base/times.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/attempts.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

constexpr absl::Duration kSpan = absl::Seconds(demystify::kIncidentSpan);
// How much later than the pod's end an operator may report the failure.
constexpr absl::Duration kOperatorDelay = absl::Minutes(10);
constexpr absl::Duration kClockSkew = absl::Seconds(10);
// A condition and its event are written one after the other.
constexpr absl::Duration kConditionToEvent = absl::Seconds(2);

using Time = std::optional<absl::Time>;

Time TimeOf(const google::protobuf::Timestamp& time) {
  return IsSet(time) ? Time(ToTime(time)) : std::nullopt;
}

struct Lifetime {
  Time begin;
  Time end;
};

Lifetime LifetimeOf(const v1::AttemptRecord& record) {
  const Time end = TimeOf(record.finished_at());
  Lifetime life{std::nullopt, TimeOf(record.struck_at())};
  if (!life.end) life.end = end;
  if (life.end && record.has_ran_for()) {
    life.begin = (end ? *end : *life.end) - ToDuration(record.ran_for());
  }
  return life;
}

// Returns whether `a` began before `b` ended. A begin in the second of the end
// counts as later, unless `b` began in that second too.
bool BeganBefore(const Lifetime& a, const Lifetime& b) {
  if (*a.begin != *b.end) return *a.begin < *b.end;
  return b.begin && *b.begin == *b.end;
}

bool Overlap(const Lifetime& reported, const Lifetime& recorded, bool own) {
  // Without a begin, every later failure would seem to overlap.
  if (!reported.begin || !recorded.end || !BeganBefore(reported, recorded)) {
    return false;
  }
  // A pod that cannot start is a separate failure.
  if (!reported.end) return false;
  if (own && *reported.end > *recorded.end + kSpan) return false;
  // Even if the recorded container ended in its first second.
  if (*reported.end == *recorded.end) return true;
  if (recorded.begin) return BeganBefore(recorded, reported);
  return *reported.end >= *recorded.end - kSpan;
}

// Returns the latest known time of a record.
absl::Time LatestOf(const v1::AttemptRecord& record) {
  return LifetimeOf(record).end.value_or(ToTime(record.observed_at()));
}

class Finder {
 public:
  Finder(const v1::BudgetLedger& ledger, const ReportedFailure& failure)
      : ledger_(ledger),
        failure_(failure),
        reported_{failure.what.incident.begin, failure.what.incident.struck} {}

  int Find() const {
    const int by_id = FindFailure(ledger_, failure_.id.id);
    if (by_id >= 0 || ledger_.history().empty() || failure_.new_attempt) {
      return by_id;
    }
    const int by_member = FindMember();
    if (by_member >= 0) return by_member;
    for (int i = ledger_.history_size(); i-- > 0;) {
      const v1::AttemptRecord& record = ledger_.history(i);
      if (failure_.id.named && record.named()) continue;
      if (failure_.what.incident.pods.empty() ? AgreesWithoutPods(i)
                                              : AgreesWithPods(i)) {
        return i;
      }
    }
    return -1;
  }

 private:
  int FindMember() const {
    std::unordered_set<std::string> ids;
    for (const int pod : failure_.what.incident.pods) {
      ids.insert(IdOfPod(failure_.owners, failure_.workload, pod));
      ids.insert(IdWithWorkload(failure_.owners, failure_.workload, pod));
    }
    for (int i = ledger_.history_size(); i-- > 0;) {
      if (ids.count(ledger_.history(i).failure_id()) > 0) return i;
    }
    return -1;
  }

  bool AgreesWithPods(int i) const {
    const v1::AttemptRecord& record = ledger_.history(i);
    const Lifetime recorded = LifetimeOf(record);
    const bool of_gang = RowOf(record.cause()).gang == GangClass::kEcho;
    if (recorded.end && failure_.what.incident.alone && IsOfPod(record) &&
        !of_gang) {
      // Only a failure without a cause may have followed, or one of the same
      // outage, and at once.
      const bool shared = record.cause() == v1::DEPENDENCY_UNAVAILABLE &&
                          failure_.what.cause == v1::DEPENDENCY_UNAVAILABLE;
      return (failure_.what.incident.silent || shared) && reported_.end &&
             absl::AbsDuration(*reported_.end - *recorded.end) <= kClockSkew;
    }
    if (recorded.end)
      return Overlap(reported_, recorded, failure_.what.incident.own);
    // The record has no time, only operator counters. It matches if the failure
    // happened by then but after the previous record, or if the operator counts
    // no other.
    if (!reported_.begin || !reported_.end || !IsSet(record.observed_at())) {
      return false;
    }
    const absl::Time observed = ToTime(record.observed_at());
    const bool counted = i + 1 == ledger_.history_size() &&
                         failure_.counted >= 0 &&
                         failure_.counted <= ledger_.attempts_seen();
    return (counted || (*reported_.begin < observed &&
                        *reported_.end <= observed + kClockSkew)) &&
           (i == 0 || *reported_.end > LatestOf(ledger_.history(i - 1)));
  }

  // Returns whether the record is of a failed index of a Job whose failed
  // indexes are all recorded. The Job reports their failure when the others are
  // done, however much later.
  bool IsOfRecordedIndexes(int i) const {
    if (failure_.owners.report.jobs_size() != 1) return false;
    std::unordered_set<std::string_view> recorded;
    for (const v1::AttemptRecord& record : ledger_.history()) {
      if (!record.part().empty()) recorded.insert(record.part());
    }
    const std::string& failed =
        failure_.owners.report.jobs(0).status().failed_indexes();
    return HasIndex(failed, ledger_.history(i).part()) &&
           ForEachIndex(failed, [&](const std::string& index) {
             return recorded.contains(index);
           });
  }

  // Returns whether an operator says that the current attempt began between the
  // two ends. An end in the second of a begin is left over from before.
  bool BeganBetween(absl::Time recorded, absl::Time reported) const {
    return std::ranges::any_of(
        failure_.owners.views, [&](const WorkloadView& view) {
          if (view.attempt_began == nullptr || !IsSet(*view.attempt_began)) {
            return false;
          }
          const absl::Time began = ToTime(*view.attempt_began);
          return recorded < began && began < reported;
        });
  }

  // Returns how much later than the end of record `i` an operator may report
  // it. Each eviction by a queue has its own time; a queue preempts before the
  // pods end.
  absl::Duration MaxOperatorDelay(int i) const {
    const v1::AttemptRecord& record = ledger_.history(i);
    if (failure_.what.culprit.kind != "Workload") return kOperatorDelay;
    if (!IsOfPod(record)) {
      return record.cause() == failure_.what.cause ? kConditionToEvent
                                                   : kClockSkew;
    }
    if (failure_.what.cause != v1::PREEMPTED_QUEUE) return kOperatorDelay;
    // The signal of a queue may show as any unexplained end.
    const bool may_be_stopped =
        IsUnexplained(record.cause()) ||
        RowOf(record.cause()).domain == v1::Diagnosis::DISRUPTION ||
        record.cause() == v1::PREEMPTED_QUEUE;
    return may_be_stopped ? kClockSkew : kConditionToEvent;
  }

  // Returns whether only the object reports the failure, and it had failed for
  // good by the recorded end. Nothing of it can fail again, although it still
  // counts the pods that it stops and adds conditions.
  bool IsOfTheSameEnd(int i) const {
    const auto& since = failure_.owners.failed_since;
    const Time recorded = LifetimeOf(ledger_.history(i)).end;
    return failure_.what.incident.event < 0 && since && *since > 0 &&
           recorded && *recorded >= absl::FromUnixSeconds(*since);
  }

  bool AgreesWithoutPods(int i) const {
    if (failure_.what.cause == v1::DEADLINE_JOB &&
        ledger_.history(i).cause() != v1::DEADLINE_JOB) {
      return false;
    }
    if (IsOfTheSameEnd(i)) return true;
    const bool of_object = failure_.what.incident.event < 0;
    // An attempt fails once, however many failures were missed before it.
    const Time end = LifetimeOf(ledger_.history(i)).end;
    if (of_object && i + 1 == ledger_.history_size() && end &&
        BeganBetween(absl::InfinitePast(), *end)) {
      return true;
    }
    if (failure_.counted > ledger_.attempts_seen()) return false;
    if (of_object && IsOfRecordedIndexes(i)) return true;
    Time ended = TimeOf(failure_.what.finished_at);
    if (const int event = failure_.what.incident.event; event >= 0) {
      // A deleted pod's event shows who must act, but maybe not the end.
      const bool of_pod =
          failure_.owners.report.events(event).involved_object().kind() ==
          "Pod";
      if (of_pod && RowOf(ledger_.history(i).cause()).domain !=
                        RowOf(failure_.what.cause).domain) {
        return false;
      }
      ended = reported_.end;
    }
    const Incident& incident = failure_.what.incident;
    if (!ended) {
      return (incident.summary || incident.of_object) &&
             failure_.counted >= 0 &&
             !BeganBetween(LatestOf(ledger_.history(i)),
                           absl::InfiniteFuture());
    }
    const Time recorded = LifetimeOf(ledger_.history(i)).end;
    if (!recorded) return false;
    if (BeganBetween(*recorded, *ended)) return false;
    const absl::Duration gap = *ended - *recorded;
    return gap <= MaxOperatorDelay(i) && gap >= -kOperatorDelay;
  }

  const v1::BudgetLedger& ledger_;
  const ReportedFailure& failure_;
  const Lifetime reported_;
};

}  // namespace

int FindKnown(const v1::BudgetLedger& ledger, const ReportedFailure& failure) {
  return Finder(ledger, failure).Find();
}

bool IsOfPod(const v1::AttemptRecord& record) {
  return !record.node().empty() || record.has_ran_for() ||
         record.has_struck_at();
}

bool IsUnexplained(v1::Cause cause) {
  return cause == v1::UNKNOWN || cause == v1::APP_ERROR ||
         cause == v1::SIGKILL_UNEXPLAINED || cause == v1::SIGTERM_UNEXPLAINED;
}

bool KnowsLess(const Failure& failure, const v1::AttemptRecord& record) {
  if (record.cause() == failure.cause || IsUnexplained(record.cause()) ||
      record.cause() == v1::CAUSE_UNSPECIFIED ||
      !v1::Cause_IsValid(record.cause())) {
    return false;
  }
  return failure.incident.pods.empty() || IsUnexplained(failure.cause) ||
         failure.confidence == v1::Diagnosis::LOW;
}

}  // namespace mulligan
