#include "policy/operators/job/decision.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/job/accounting.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/job/success_policy.h"

namespace mulligan::job {
namespace {

// What the limits look at.
struct Look {
  const Job& job;
  const Pods& pods;
  const Gates& gates;
  absl::Time now;
  std::int64_t failures;
  const Indexes& indexes;
};

// A condition with the last word: its type, and what it means.
struct RecordedRow {
  std::string_view type;
  bool failed;
};
constexpr std::array<RecordedRow, 2> kFinal = {
    {{"Failed", true}, {"Complete", false}}};
constexpr std::array<RecordedRow, 2> kAnnounced = {
    {{"SuccessCriteriaMet", false}, {"FailureTarget", true}}};

std::optional<Ending> Recorded(const std::array<RecordedRow, 2>& rows,
                               const JobStatus& status) {
  for (const RecordedRow& row : rows) {
    const auto found =
        std::find_if(status.conditions().begin(), status.conditions().end(),
                     [&](const auto& each) { return each.type() == row.type; });
    if (found != status.conditions().end() && found->status() == "True") {
      return Ending{row.failed, found->reason(), found->message()};
    }
  }
  return std::nullopt;
}

bool IsLeftAlone(const JobSpec& spec, const Gates& gates) {
  const bool other_controller =
      gates.managed_by && spec.has_managed_by() &&
      spec.managed_by() != "kubernetes.io/job-controller";
  return other_controller || (spec.completion_mode() != "NonIndexed" &&
                              spec.completion_mode() != "Indexed");
}

std::optional<Ending> FailedByPodFailurePolicy(const Look& look) {
  const auto* const policy = PodFailurePolicyOf(look.job.spec(), look.gates);
  for (const Pod* pod : look.pods) {
    if (!IsPodFailed(*pod, look.job.spec(), look.gates)) continue;
    const auto match = MatchPodFailurePolicy(policy, *pod, look.gates);
    if (match.message.has_value()) {
      return Ending{true, "PodFailurePolicy", *match.message};
    }
  }
  return std::nullopt;
}

bool ExceedsBackoffLimit(const Look& look) {
  return look.failures > look.job.spec().backoff_limit() ||
         ExceedsOnFailureLimit(look.job.spec(), look.pods);
}

bool ExceedsDeadline(const Look& look) {
  const JobSpec& spec = look.job.spec();
  const JobStatus& status = look.job.status();
  if (!spec.has_active_deadline_seconds() || IsSuspended(spec)) return false;
  absl::Duration active;
  if (status.has_start_time()) {
    if (IsZeroTime(status.start_time())) return false;
    active = look.now - ToTime(status.start_time());
  }
  return active >= absl::Seconds(spec.active_deadline_seconds());
}

bool ExceedsMaxFailedIndexes(const Look& look) {
  return look.job.spec().has_max_failed_indexes() &&
         look.indexes.failed.total() > look.job.spec().max_failed_indexes();
}

bool HasOnlySettledIndexes(const Look& look) {
  const std::int64_t failed = look.indexes.failed.total();
  return failed > 0 && failed + look.indexes.succeeded.total() >=
                           look.job.spec().completions();
}

struct Limit {
  bool (*applies)(const Look&);
  std::string_view reason;
  std::string_view message;
};

constexpr std::array<Limit, 4> kLimits = {{
    {ExceedsBackoffLimit, "BackoffLimitExceeded",
     "Job has reached the specified backoff limit"},
    {ExceedsDeadline, "DeadlineExceeded",
     "Job was active longer than specified deadline"},
    {ExceedsMaxFailedIndexes, "MaxFailedIndexesExceeded",
     "Job has exceeded the specified maximal number of failed indexes"},
    {HasOnlySettledIndexes, "FailedIndexes", "Job has failed indexes"},
}};

std::optional<Ending> FailedByLimit(const Look& look) {
  for (const Limit& limit : kLimits) {
    if (!limit.applies(look)) continue;
    return Ending{true, std::string(limit.reason), std::string(limit.message)};
  }
  return std::nullopt;
}

std::optional<Ending> SucceededByPolicy(const Look& look) {
  const JobSpec& spec = look.job.spec();
  if (!look.gates.success_policy || !IsIndexed(spec) ||
      !spec.has_success_policy()) {
    return std::nullopt;
  }
  const auto rule = MatchSuccessPolicy(
      spec.success_policy(), spec.completions(), look.indexes.succeeded);
  if (!rule.has_value()) return std::nullopt;
  return Ending{false, "SuccessPolicy",
                absl::StrFormat("Matched rules at index %d", *rule)};
}

// Whether pods that still run count as failed. Where CompletionsReached is not
// announced by SuccessCriteriaMet, the controller takes it for a failure here.
bool FailsWhatRuns(const Ending& ending, const Gates& gates) {
  return ending.failed || (ending.reason == "CompletionsReached" &&
                           !DelaysTerminalCondition(gates));
}

// Pods that run. A report may leave them out; then status.active says how many
// there were when the controller looked last, less those that stopped since.
std::int64_t ActivePods(const Job& job, const Pods& pods) {
  std::int64_t active = 0;
  std::int64_t stopped = 0;
  for (const Pod* pod : pods) {
    if (IsActive(*pod)) {
      ++active;
    } else if (HasTrackingFinalizer(*pod)) {
      ++stopped;
    }
  }
  return std::max(active, job.status().active() - stopped);
}

// Enough successes. What still runs is deleted in the same look, unless the Job
// itself is being deleted or, without completions, may run to its end.
bool IsComplete(const Look& look, std::int64_t succeeded) {
  const JobSpec& spec = look.job.spec();
  const std::int64_t wanted = spec.has_completions() ? spec.completions() : 1;
  if (succeeded < wanted) return false;
  const bool lets_run = look.job.metadata().has_deletion_timestamp() ||
                        (!spec.has_completions() && !IsSuspended(spec));
  return !lets_run || ActivePods(look.job, look.pods) == 0;
}

}  // namespace

Decision DecideJob(const Job& job, const Pods& pods, const Gates& gates,
                   absl::Time now) {
  const JobStatus& status = job.status();
  const auto& uncounted = status.uncounted_terminated_pods();
  Decision decision{Recorded(kFinal, status), status.failed(),
                    status.succeeded(),
                    status.failed() + uncounted.failed_size()};
  if (decision.ending.has_value() || IsLeftAlone(job.spec(), gates)) {
    return decision;
  }
  const NewlyFinished finished = NewlyFinishedPods(job, pods, gates);
  const Indexes indexes = IndexesOf(job, pods, gates);
  decision.failures = FailureCount(job, finished.failed, gates);
  decision.failed_indexes = indexes.failed.total();
  const Look look{job, pods, gates, now, decision.failures, indexes};
  decision.ending = Recorded(kAnnounced, status);
  for (const auto& check :
       {FailedByPodFailurePolicy, FailedByLimit, SucceededByPolicy}) {
    if (!decision.ending.has_value()) decision.ending = check(look);
  }
  const std::int64_t succeeded =
      IsIndexed(job.spec())
          ? indexes.succeeded.total()
          : status.succeeded() + uncounted.succeeded_size() +
                static_cast<std::int64_t>(finished.succeeded.size());
  if (!decision.ending.has_value() && IsComplete(look, succeeded)) {
    decision.ending = Ending{false, "CompletionsReached",
                             "Reached expected number of succeeded pods"};
  }
  const Counters counters = AccountPods(
      {job, pods, gates, indexes, decision.ending.has_value(),
       decision.ending.has_value() && FailsWhatRuns(*decision.ending, gates)});
  decision.failed = counters.failed;
  decision.succeeded = counters.succeeded;
  return decision;
}

}  // namespace mulligan::job
