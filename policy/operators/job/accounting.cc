#include "policy/operators/job/accounting.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "policy/operators/job/counting.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {
namespace {

// Pods accounted for in one pass at most.
constexpr int kMaxUncountedPods = 500;

bool MayRelease(const AccountingInput& input, const Pod& pod) {
  if (input.ended || input.job.metadata().has_deletion_timestamp() ||
      HasPhase(pod, "Succeeded")) {
    return true;
  }
  if (!IsPodFailed(pod, input.job.spec(), input.gates)) return false;
  const auto index = CompletionIndex(pod);
  if (!index.has_value()) return true;
  const auto awaiting = input.indexes.awaiting_replacement.find(*index);
  return awaiting == input.indexes.awaiting_replacement.end() ||
         awaiting->second->metadata().uid() != pod.metadata().uid();
}

bool CountsWhenReleased(const AccountingInput& input, const Pod& pod) {
  const JobSpec& spec = input.job.spec();
  return (IsPodFailed(pod, spec, input.gates) || input.remaining_pods_fail) &&
         HasValidIndex(pod, spec) && CountsAsFailed(pod, spec, input.gates);
}

}  // namespace

Counters AccountPods(const AccountingInput& input) {
  const JobStatus& status = input.job.status();
  const auto& uncounted = status.uncounted_terminated_pods();
  Counters counters{status.failed() + uncounted.failed_size(),
                    status.succeeded() + uncounted.succeeded_size()};
  const std::int64_t before = counters.failed + counters.succeeded;
  for (const Pod* pod : input.pods) {
    if (!HasTrackingFinalizer(*pod)) continue;
    if (counters.failed + counters.succeeded - before >= kMaxUncountedPods)
      break;
    const bool is_failed = Lists(uncounted.failed(), *pod);
    const bool is_succeeded = Lists(uncounted.succeeded(), *pod);
    if (!MayRelease(input, *pod)) {
      counters.failed -= is_failed ? 1 : 0;
      counters.succeeded -= is_succeeded ? 1 : 0;
    } else if (HasPhase(*pod, "Succeeded")) {
      counters.succeeded += is_failed || is_succeeded ? 0 : 1;
    } else if (!is_failed && CountsWhenReleased(input, *pod)) {
      ++counters.failed;
    }
  }
  if (IsIndexed(input.job.spec())) {
    counters.succeeded = input.indexes.succeeded.total();
  }
  return counters;
}

}  // namespace mulligan::job
