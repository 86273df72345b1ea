#include "policy/operators/job/indexes.h"

#include <cstdint>
#include <map>
#include <optional>

#include "policy/operators/job/counting.h"
#include "policy/operators/job/finish_time.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {
namespace {

// The pod's index if it is below completions. Asks no completion mode: only
// Indexed Jobs get here.
std::optional<std::int64_t> ValidIndex(const Pod& pod, const JobSpec& spec) {
  const auto index = CompletionIndex(pod);
  return index.has_value() && *index < spec.completions() ? index
                                                          : std::nullopt;
}

bool IsLaterFailure(const Pod& pod, const Pod& than, const Gates& gates) {
  return IndexAbsoluteFailureCount(pod) >= IndexAbsoluteFailureCount(than) &&
         FinishTime(pod, gates) >= FinishTime(than, gates);
}

// status.completedIndexes with the pods not accounted yet.
IndexSet SucceededIndexes(const Job& job, const Pods& pods) {
  IndexSet indexes = IndexSet::Parse(job.status().completed_indexes(),
                                     job.spec().completions());
  for (const Pod* pod : pods) {
    const auto index = ValidIndex(*pod, job.spec());
    if (index.has_value() && HasPhase(*pod, "Succeeded") &&
        HasTrackingFinalizer(*pod)) {
      indexes.Add(*index);
    }
  }
  return indexes;
}

// status.failedIndexes likewise.
IndexSet FailedIndexes(const Job& job, const Pods& pods, const Gates& gates) {
  IndexSet indexes =
      IndexSet::Parse(job.status().failed_indexes(), job.spec().completions());
  for (const Pod* pod : pods) {
    const auto index = ValidIndex(*pod, job.spec());
    if (index.has_value() && HasTrackingFinalizer(*pod) &&
        FailsIndex(*pod, job.spec(), gates)) {
      indexes.Add(*index);
    }
  }
  return indexes;
}

std::map<std::int64_t, const Pod*> PodsAwaitingReplacement(
    const Job& job, const Pods& pods, const IndexSet& succeeded,
    const IndexSet& failed, const Gates& gates) {
  IndexSet settled = succeeded;
  settled.Add(failed);
  for (const Pod* pod : pods) {
    const auto index = CompletionIndex(*pod);
    if (index.has_value() && IsActive(*pod)) settled.Add(*index);
  }
  std::map<std::int64_t, const Pod*> latest;
  for (const Pod* pod : pods) {
    const auto index = ValidIndex(*pod, job.spec());
    if (!index.has_value() || settled.Contains(*index) ||
        !HasTrackingFinalizer(*pod) || !IsPodFailed(*pod, job.spec(), gates)) {
      continue;
    }
    const auto [known, is_first] = latest.emplace(*index, pod);
    if (!is_first && IsLaterFailure(*pod, *known->second, gates)) {
      known->second = pod;
    }
  }
  return latest;
}

}  // namespace

bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  if (!IsPodFailed(pod, spec, gates)) return false;
  const PodFailureMatch match =
      MatchPodFailurePolicy(PodFailurePolicyOf(spec, gates), pod, gates);
  if (match.action == "FailIndex") return true;
  return match.counts && spec.has_backoff_limit_per_index() &&
         IndexFailureCount(pod) >= spec.backoff_limit_per_index();
}

Indexes IndexesOf(const Job& job, const Pods& pods, const Gates& gates) {
  Indexes indexes;
  if (!IsIndexed(job.spec())) return indexes;
  indexes.succeeded = SucceededIndexes(job, pods);
  if (!HasBackoffLimitPerIndex(job.spec(), gates)) return indexes;
  indexes.failed = FailedIndexes(job, pods, gates);
  indexes.awaiting_replacement = PodsAwaitingReplacement(
      job, pods, indexes.succeeded, indexes.failed, gates);
  return indexes;
}

}  // namespace mulligan::job
