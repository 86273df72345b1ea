#include "policy/native/job/decision.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/job/failures.h"
#include "policy/native/job/indexes.h"

namespace mulligan::job {
namespace {

// Maximum number of pods counted in one pass.
constexpr int kMaxUncountedPods = 500;

// The input of the limits.
struct Sync {
  const Job& job;
  const JobSpec& spec;
  const Pods& pods;
  const Gates& gates;
  absl::Time now;
  std::int64_t failures;
  const Indexes& indexes;
};

// A deciding condition: its type, and whether it means failure.
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
    const auto* const found = FindCondition(status.conditions(), row.type);
    if (found != nullptr && found->status() == "True") {
      return Ending{row.failed, found->reason(), found->message()};
    }
  }
  return std::nullopt;
}

bool IsLeftAlone(const JobSpec& spec, const Gates& gates) {
  const bool other_controller =
      gates.managed_by && spec.has_managed_by() &&
      spec.managed_by() != "kubernetes.io/job-controller";
  return other_controller ||
         (spec.completion_mode() != "NonIndexed" && !IsIndexed(spec));
}

std::optional<Ending> FailedByPodFailurePolicy(const Sync& sync) {
  for (const Pod* pod : sync.pods) {
    if (!IsPodFailed(*pod, sync.spec, sync.gates)) continue;
    const auto match = MatchPodFailurePolicy(*pod, sync.spec, sync.gates);
    if (!match.message.empty()) {
      return Ending{true, "PodFailurePolicy", match.message};
    }
  }
  return std::nullopt;
}

// Under restartPolicy OnFailure, restarts that reach the limit suffice, so one
// attempt fewer is tolerated than under Never. A limit of 0 tolerates no
// restart, but is not exceeded without any.
bool ExceedsBackoffLimit(const Sync& sync) {
  return sync.failures > sync.spec.backoff_limit() ||
         CountedRestarts(sync.spec, sync.pods) >=
             std::max(1, sync.spec.backoff_limit());
}

bool ExceedsDeadline(const Sync& sync) {
  const JobStatus& status = sync.job.status();
  if (!sync.spec.has_active_deadline_seconds() || sync.spec.suspend()) {
    return false;
  }
  absl::Duration active;
  if (status.has_start_time()) {
    if (IsZeroTime(status.start_time())) return false;
    active = sync.now - ToTime(status.start_time());
  }
  return active >= absl::Seconds(sync.spec.active_deadline_seconds());
}

bool ExceedsMaxFailedIndexes(const Sync& sync) {
  return sync.spec.has_max_failed_indexes() &&
         sync.indexes.failed.total() > sync.spec.max_failed_indexes();
}

bool HasOnlySettledIndexes(const Sync& sync) {
  const std::int64_t failed = sync.indexes.failed.total();
  return failed > 0 &&
         failed + sync.indexes.succeeded.total() >= sync.spec.completions();
}

struct Limit {
  bool (*applies)(const Sync&);
  const char* reason;
  const char* message;
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

std::optional<Ending> FailedByLimit(const Sync& sync) {
  for (const Limit& limit : kLimits) {
    if (limit.applies(sync)) return Ending{true, limit.reason, limit.message};
  }
  return std::nullopt;
}

std::optional<Ending> SucceededByPolicy(const Sync& sync) {
  if (!sync.gates.success_policy || !IsIndexed(sync.spec)) return std::nullopt;
  const auto rule =
      MatchSuccessPolicy(sync.spec.success_policy(), sync.spec.completions(),
                         sync.indexes.succeeded);
  if (!rule.has_value()) return std::nullopt;
  return Ending{false, "SuccessPolicy",
                absl::StrFormat("Matched rules at index %d", *rule)};
}

// Returns the number of running pods. If the report omits them, uses the last
// status.active less the pods that have stopped since.
std::int64_t ActivePods(const Job& job, const Pods& pods) {
  std::int64_t active = 0;
  std::int64_t stopped = 0;
  for (const Pod* pod : pods) {
    if (IsPodActive(*pod)) {
      ++active;
    } else if (HasTrackingFinalizer(*pod)) {
      ++stopped;
    }
  }
  return std::max(active, job.status().active() - stopped);
}

// Returns whether enough pods succeeded. The same pass deletes running pods,
// unless the Job is being deleted or, without completions, lets them finish.
bool IsComplete(const Sync& sync) {
  const std::int64_t succeeded = IsIndexed(sync.spec)
                                     ? sync.indexes.succeeded.total()
                                     : SuccessCount(sync.job, sync.pods);
  if (succeeded < (sync.spec.has_completions() ? sync.spec.completions() : 1)) {
    return false;
  }
  const bool lets_run = sync.job.metadata().has_deletion_timestamp() ||
                        (!sync.spec.has_completions() && !sync.spec.suspend());
  return !lets_run || ActivePods(sync.job, sync.pods) == 0;
}

std::optional<Ending> Completed(const Sync& sync) {
  if (!IsComplete(sync)) return std::nullopt;
  return Ending{false, "CompletionsReached",
                "Reached expected number of succeeded pods"};
}

// Returns whether running pods count as failed. If not every terminal verdict
// is announced until no pod is left, the controller treats CompletionsReached
// as a failure here.
bool FailsWhatRuns(const Ending& ending, const Gates& gates) {
  const bool announces = gates.interim_conditions &&
                         (gates.managed_by || gates.pod_replacement_policy);
  return ending.failed || (ending.reason == "CompletionsReached" && !announces);
}

// Returns whether the pod's finalizer may be removed: for all pods once the Job
// has ended, before that not for a failed pod that waits for its replacement.
bool MayRelease(const Sync& sync, const Pod& pod, bool has_ended) {
  if (has_ended || sync.job.metadata().has_deletion_timestamp() ||
      HasPhase(pod, "Succeeded")) {
    return true;
  }
  if (!IsPodFailed(pod, sync.spec, sync.gates)) return false;
  const auto index = CompletionIndex(pod, sync.spec.completions());
  if (!index.has_value()) return true;
  const auto awaiting = sync.indexes.awaiting_replacement.find(*index);
  return awaiting == sync.indexes.awaiting_replacement.end() ||
         awaiting->second->metadata().uid() != pod.metadata().uid();
}

// Counts each pod whose finalizer may be removed. Successes of Indexed Jobs are
// counted by index.
void AccountPods(const Sync& sync, Decision& decision) {
  const JobStatus& status = sync.job.status();
  const auto& uncounted = status.uncounted_terminated_pods();
  const std::optional<Ending>& ending = decision.ending;
  const bool fails_rest =
      ending.has_value() && FailsWhatRuns(*ending, sync.gates);
  decision.failed = status.failed() + uncounted.failed_size();
  decision.succeeded = status.succeeded() + uncounted.succeeded_size();
  const std::int64_t before = decision.failed + decision.succeeded;
  for (const Pod* pod : sync.pods) {
    if (!HasTrackingFinalizer(*pod)) continue;
    if (decision.failed + decision.succeeded - before >= kMaxUncountedPods) {
      break;
    }
    const std::string& uid = pod->metadata().uid();
    const bool is_failed = HasText(uncounted.failed(), uid);
    const bool is_succeeded = HasText(uncounted.succeeded(), uid);
    if (!MayRelease(sync, *pod, ending.has_value())) {
      decision.failed -= is_failed ? 1 : 0;
      decision.succeeded -= is_succeeded ? 1 : 0;
    } else if (HasPhase(*pod, "Succeeded")) {
      decision.succeeded += is_failed || is_succeeded ? 0 : 1;
    } else if (!is_failed &&
               (fails_rest || IsPodFailed(*pod, sync.spec, sync.gates)) &&
               HasValidIndex(*pod, sync.spec) &&
               MatchPodFailurePolicy(*pod, sync.spec, sync.gates).counts) {
      ++decision.failed;
    }
  }
  if (IsIndexed(sync.spec)) {
    decision.succeeded = sync.indexes.succeeded.total();
  }
}

}  // namespace

Decision DecideJob(const Job& job, const Pods& pods, const Gates& gates,
                   absl::Time now) {
  const JobStatus& status = job.status();
  Decision decision{
      Recorded(kFinal, status), status.failed(), status.succeeded(),
      status.failed() + status.uncounted_terminated_pods().failed_size()};
  if (decision.ending.has_value() || IsLeftAlone(job.spec(), gates)) {
    return decision;
  }
  const Indexes indexes = IndexesOf(job, pods, gates);
  decision.failures = FailureCount(job, pods, gates);
  decision.failed_indexes = indexes.failed.total();
  const Sync sync{job, job.spec(),        pods,   gates,
                  now, decision.failures, indexes};
  decision.ending = Recorded(kAnnounced, status);
  for (const auto& check : {FailedByPodFailurePolicy, FailedByLimit,
                            SucceededByPolicy, Completed}) {
    if (!decision.ending.has_value()) decision.ending = check(sync);
  }
  AccountPods(sync, decision);
  return decision;
}

}  // namespace mulligan::job
