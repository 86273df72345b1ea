#include "policy/verdict/brake.h"

#include <algorithm>
#include <cstdint>

#include "policy/base/indexes.h"
#include "policy/base/labels.h"
#include "policy/base/times.h"
#include "policy/budget/history.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/request/owners.h"
#include "policy/request/recorded.h"
#include "policy/verdict/reach.h"
#include "policy/verdict/verdict.h"

namespace mulligan {
namespace {

bool IsOfProgram(v1::Cause cause) {
  const v1::Diagnosis::FaultDomain domain = RowOf(cause).domain;
  return domain == v1::Diagnosis::APPLICATION ||
         domain == v1::Diagnosis::CONFIGURATION ||
         domain == v1::Diagnosis::RESOURCE_LIMIT;
}

// Returns when the work last resumed or began, in epoch seconds, or 0.
std::int64_t LastBegun(const Owners& owners) {
  std::int64_t resumed = 0;
  if (!owners.views.empty()) {
    resumed = owners.views.front().meta->creation_timestamp().seconds();
  } else if (!owners.report.jobs().empty()) {
    resumed = owners.report.jobs(0).metadata().creation_timestamp().seconds();
  }
  const auto read = [&resumed](const WorkloadView& view) {
    for (const ConditionView condition : view.conditions) {
      const bool resumes =
          (condition.type() == "Suspended" && condition.status() == "False") ||
          (condition.type() == "Requeued" &&
           condition.reason() == "Reactivated");
      if (resumes) {
        resumed = std::max<std::int64_t>(
            resumed, condition.last_transition_time().seconds());
      }
    }
  };
  for (const WorkloadView& view : owners.views) read(view);
  for (const auto& job : owners.report.jobs()) read(ViewOf(job));
  if (const auto queue = QueueIn(owners.report)) read(*queue);
  return resumed;
}

// Returns how long the latest `count` attempts that ended like `last` ran.
// Those without a record are taken to have run as long as `last`.
absl::Duration RunTime(const v1::BudgetLedger& ledger,
                       const v1::AttemptRecord& last, std::int64_t count) {
  absl::Duration ran;
  for (int i = ledger.history_size(); i-- > 0 && count > 0;) {
    const v1::AttemptRecord& record = ledger.history(i);
    if (record.fingerprint() != last.fingerprint()) continue;
    ran += ToDuration(record.ran_for());
    --count;
  }
  return ran + count * ToDuration(last.ran_for());
}

// Returns whether the policy refused another attempt after the failure of the
// program, because of what failed rather than how often.
bool IsHopeless(const v1::AttemptRecord& record) {
  return IsOfProgram(record.cause()) && IsRefusal(record.decision().action()) &&
         ((IsByRule(record.refused_by()) &&
           record.derived_cause() == v1::DERIVED_CAUSE_UNSPECIFIED) ||
          record.cannot_recover());
}

// Returns how many failures up to the one at `last`, which is hopeless, no
// other attempt could recover from, in a row without progress. A program that
// ran out of memory or storage has made no mistake.
std::int64_t CountHopeless(const v1::BudgetLedger& ledger, int last) {
  int first = last;
  while (first > 0) {
    const v1::AttemptRecord& newer = ledger.history(first);
    const v1::AttemptRecord& older = ledger.history(first - 1);
    if (!(IsHopeless(older) || older.cannot_recover()) ||
        RowOf(older.cause()).domain == v1::Diagnosis::RESOURCE_LIMIT ||
        GotFurther(ReachedBy(newer), ReachedBy(older))) {
      break;
    }
    --first;
  }
  return last - first + 1;
}

// Returns the latest of the program's failures that repeat in the same way.
std::optional<EndOfRetries> FindHopeless(const FailureContext& at,
                                         const Diagnosed& diagnosed,
                                         const v1::BudgetLedger& ledger,
                                         const Loop& loop) {
  const v1::AttemptRecord& last = ledger.history(loop.record);
  const v1::Cause named = diagnosed.what().cause;
  // After an eviction by a node short of memory, another node may have enough.
  if (!IsOfProgram(last.cause()) ||
      (named != v1::NOT_FAILED && !IsOfProgram(named))) {
    return std::nullopt;
  }
  // Restarts before the first request share one record.
  const std::int64_t alike =
      loop.alike + Unrecorded(ledger, diagnosed.findings.ends - 1, loop.record);
  // Others retry without the resources that it needs (NoteRetried).
  if (IsRetriedByOthers(last) &&
      last.decision().action() == v1::Decision::RETRY) {
    return EndOfRetries{last, v1::Decision::RETRY, alike};
  }
  const bool refused = IsHopeless(last);
  std::int64_t enough = loop.enough > 0 ? loop.enough : INT64_MAX;
  if (refused) {
    enough = std::min<std::int64_t>(enough, at.compiled().brake.same_failure);
  }
  // The policy already counted enough.
  if (last.derived_cause() == v1::DETERMINISTIC &&
      (!loop.weak || last.has_progress())) {
    enough = std::min(enough, alike);
  }
  if (alike < enough) {
    if (!refused) return std::nullopt;
    const std::int64_t hopeless = CountHopeless(ledger, loop.record);
    if (hopeless < at.compiled().brake.same_failure) return std::nullopt;
    return EndOfRetries{last, last.decision().action(), hopeless,
                        /*unlike=*/true};
  }
  return EndOfRetries{
      last, refused ? last.decision().action() : v1::Decision::FAIL, alike,
      /*unlike=*/false, RunTime(ledger, last, alike - enough)};
}

// Returns the latest failure if the policy refuses another attempt and binds
// retries of others (Brake.POLICY).
std::optional<EndOfRetries> FindRefused(const CompiledBrake& brake,
                                        const v1::BudgetLedger& ledger) {
  if (brake.mode != v1::Brake::POLICY || ledger.history().empty()) {
    return std::nullopt;
  }
  const v1::AttemptRecord& last = *ledger.history().rbegin();
  if (!IsUnderstood(last) || !IsRefusal(last.decision().action()))
    return std::nullopt;
  return EndOfRetries{last, last.decision().action()};
}

// Returns whether a container that never failed runs in the pod of one that the
// kubelet restarts: the pod's work may be healthy.
bool HasHealthyContainer(const kubernetes::core::v1::Pod& pod) {
  const auto& statuses = pod.status().container_statuses();
  return std::ranges::any_of(
             statuses,
             [](const auto& status) { return status.restart_count() > 0; }) &&
         std::ranges::any_of(statuses, [](const auto& status) {
           return status.restart_count() == 0 && status.state().has_running();
         });
}

// Returns when the pod's youngest container started; empty if none runs.
std::optional<absl::Time> RunsSince(const kubernetes::core::v1::Pod& pod) {
  std::optional<absl::Time> since;
  for (const auto& status : pod.status().container_statuses()) {
    if (!status.state().has_running()) continue;
    const absl::Time started = ToTime(status.state().running().started_at());
    since = std::max(since.value_or(started), started);
  }
  return since;
}

// Returns the records of the index that failed last, if its Job retries it and
// the current diagnosis is about it. Sets `runs_since` to the start of its
// running attempt. Without limits for each index (backoffLimitPerIndex) the
// whole Job ends with the index; then empty if another one is healthy.
std::optional<v1::BudgetLedger> RecordsOfIndex(
    const FailureContext& at, const Failure& failure,
    const v1::BudgetLedger& ledger, std::optional<absl::Time>& runs_since) {
  if (at.report().jobs_size() != 1 || ledger.history().empty()) {
    return std::nullopt;
  }
  const auto& job = at.report().jobs(0);
  const bool alone = job.spec().has_backoff_limit_per_index();
  const std::string& index = ledger.history().rbegin()->part();
  if (index.empty() || HasIndex(job.status().completed_indexes(), index) ||
      HasIndex(job.status().failed_indexes(), index) ||
      (failure.cause != v1::NOT_FAILED && failure.incident.part != index) ||
      (!alone && job.status().succeeded() > 0)) {
    return std::nullopt;
  }
  v1::BudgetLedger records;
  absl::Duration longest;
  for (const v1::AttemptRecord& record : ledger.history()) {
    longest = std::max(longest, ToDuration(record.ran_for()));
    if (record.part() == index) *records.add_history() = record;
  }
  runs_since.reset();
  for (const auto& pod : at.report().pods()) {
    const bool of_index =
        LabelOf(pod.metadata().labels(), kCompletionIndexLabel) == index;
    if (alone && !of_index) continue;
    const std::optional<absl::Time> since = RunsSince(pod);
    if (pod.status().phase() == "Succeeded" ||
        (!of_index && since &&
         at.now - *since > at.compiled().brake.outlived * longest)) {
      return std::nullopt;
    }
    if (of_index && since) runs_since = since;
  }
  return records;
}

}  // namespace

bool IsOutlived(absl::Time now, std::optional<absl::Time> since,
                absl::Time ended, absl::Duration limit) {
  return since && now - std::max(*since, ended) >
                      std::max(absl::Seconds(demystify::kMinRun), limit);
}

std::optional<EndOfRetries> FindStop(const FailureContext& at,
                                     const Diagnosed& diagnosed,
                                     const v1::BudgetLedger& all) {
  const CompiledBrake& brake = at.compiled().brake;
  if (brake.mode == v1::Brake::NEVER || at.decides_natively() ||
      diagnosed.what().situation != v1::Diagnosis::ALIVE ||
      diagnosed.findings.succeeded) {
    return std::nullopt;
  }
  std::optional<absl::Time> runs_since = diagnosed.findings.runs_since;
  std::optional<v1::BudgetLedger> of_index;
  if (diagnosed.findings.apart) {
    of_index = RecordsOfIndex(at, diagnosed.what(), all, runs_since);
    if (!of_index) return std::nullopt;
  }
  const v1::BudgetLedger& ledger = of_index ? *of_index : all;
  const std::optional<Loop> loop = FindLoop(at.compiled().derivation, ledger);
  std::optional<EndOfRetries> end;
  if (loop) end = FindHopeless(at, diagnosed, ledger, *loop);
  if (!end) end = FindRefused(brake, ledger);
  if (!end) return std::nullopt;
  if (end->record.retried_by() == v1::AttemptRecord::KUBELET &&
      std::ranges::any_of(at.report().pods(), HasHealthyContainer)) {
    return std::nullopt;
  }
  const absl::Duration longest =
      end->alike > 0 ? loop->longest : ToDuration(end->record.ran_for());
  const absl::Time ended = RecordedEnd(end->record);
  if (absl::FromUnixSeconds(LastBegun(at.owners)) > ended ||
      IsOutlived(at.now, runs_since, ended, brake.outlived * longest)) {
    return std::nullopt;
  }
  if (runs_since) {
    end->avoidable += std::max(at.now - *runs_since, absl::ZeroDuration());
  }
  return end;
}

}  // namespace mulligan
