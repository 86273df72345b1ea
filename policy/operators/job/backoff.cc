#include "policy/operators/job/backoff.h"

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {
namespace {

constexpr absl::Duration kBase = absl::Seconds(10);
constexpr absl::Duration kCap = absl::Minutes(10);
// The controller looks at a Job once a second at most.
constexpr absl::Duration kBatch = absl::Seconds(1);

struct Failures {
  std::int64_t count = 0;
  // When the latest finished.
  absl::Time last = absl::InfinitePast();
};

void Add(absl::Time finished, Failures& failures) {
  ++failures.count;
  failures.last = std::max(failures.last, finished);
}

// New is what is not accounted yet: the controller adds the new failures to the
// old ones, and a new success drops the old ones.
Failures FailuresAfterLastSuccess(const Job& job, const Pods& pods,
                                  const Gates& gates) {
  absl::Time old_success = absl::InfinitePast();
  absl::Time new_success = absl::InfinitePast();
  for (const Pod* pod : pods) {
    if (!HasPhase(*pod, "Succeeded")) continue;
    absl::Time& success =
        HasTrackingFinalizer(*pod) ? new_success : old_success;
    success = std::max(success, FinishTime(*pod, gates));
  }
  Failures before;
  Failures since;
  std::int64_t gone = job.status().failed();
  for (const Pod* pod : pods) {
    if (!IsPodFailed(*pod, job.spec(), gates)) continue;
    const absl::Time finished = FinishTime(*pod, gates);
    if (HasTrackingFinalizer(*pod)) {
      if (finished > new_success) Add(finished, since);
    } else {
      if (finished > old_success) Add(finished, before);
      if (MatchPodFailurePolicy(*pod, job.spec(), gates).counts) --gone;
    }
  }
  if (new_success != absl::InfinitePast()) return since;
  if (job.status().succeeded() == 0 && old_success == absl::InfinitePast()) {
    before.count += std::max<std::int64_t>(0, gone);
  }
  return {before.count + since.count,
          since.count > 0 ? since.last : before.last};
}

}  // namespace

absl::Duration RemainingBackoff(std::int64_t failures, absl::Time last_failure,
                                absl::Time now) {
  if (failures <= 0) return absl::ZeroDuration();
  absl::Duration delay = kBase;
  for (std::int64_t i = 1; i < failures && delay < kCap; ++i) delay *= 2;
  return std::max(absl::ZeroDuration(),
                  std::min(delay, kCap) - (now - last_failure));
}

absl::Duration ReplacementDelay(const Job& job, const Pods& pods,
                                const Pod& failed, const Gates& gates,
                                absl::Time now) {
  if (IsIndexed(job.spec()) && HasBackoffLimitPerIndex(job.spec(), gates)) {
    return RemainingBackoff(IndexAbsoluteFailureCount(failed) + 1,
                            FinishTime(failed, gates), now);
  }
  const Failures failures = FailuresAfterLastSuccess(job, pods, gates);
  const absl::Duration delay =
      RemainingBackoff(failures.count, failures.last, now);
  return delay > absl::ZeroDuration() ? std::max(delay, kBatch) : delay;
}

}  // namespace mulligan::job
