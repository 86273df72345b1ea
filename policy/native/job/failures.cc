#include "policy/native/job/failures.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/request/pod_failure_rule.h"

namespace mulligan::job {
namespace {

// Returns why the rule matches, without the rule's name.
std::string Finding(const PodFailureRule& found, const Pod& pod) {
  const auto& meta = pod.metadata();
  if (found.container != nullptr) {
    return absl::StrFormat(
        "Container %s for pod %s/%s failed with exit code %d",
        found.container->name(), meta.namespace_(), meta.name(),
        found.container->state().terminated().exit_code());
  }
  return absl::StrFormat("Pod %s/%s has condition %s", meta.namespace_(),
                         meta.name(), found.condition->type());
}

template <typename Uids>
bool IsNew(const Pod& pod, const JobSpec& spec, const Uids& uncounted) {
  return HasTrackingFinalizer(pod) && HasValidIndex(pod, spec) &&
         !HasText(uncounted, pod.metadata().uid());
}

constexpr absl::Duration kBase = absl::Seconds(10);
constexpr absl::Duration kCap = absl::Minutes(10);
// The controller handles a Job at most once a second.
constexpr absl::Duration kBatch = absl::Seconds(1);
// Pods that the controller certainly creates within kBase, at 20 requests a
// second.
constexpr std::int32_t kCreatedWithinBase = 200;

struct Failures {
  std::int64_t count = 0;
  // When the latest one finished.
  absl::Time last = absl::InfinitePast();
};

void Add(absl::Time finished, Failures& failures) {
  ++failures.count;
  failures.last = std::max(failures.last, finished);
}

// Returns the failures since `begin` (the last success, else the Job's start)
// that replacement pods show, because only a failure delays a pod. Of the
// reported failures, which ended at `finished`, the latest still wait for a
// replacement.
std::int64_t FailuresByReplacements(const Pods& pods, absl::Time begin,
                                    bool is_success,
                                    const std::vector<absl::Time>& finished) {
  std::vector<absl::Time> delayed;
  bool came_at_once = !is_success;
  for (const Pod* pod : pods) {
    const absl::Time created =
        TimeIfSet(pod->metadata().creation_timestamp()).value_or(ZeroTime());
    if (created - begin >= kBase) {
      delayed.push_back(created);
    } else if (created >= begin) {
      came_at_once = true;
    }
  }
  if (delayed.empty()) return 0;
  std::ranges::sort(delayed);
  std::int64_t failures = std::ssize(delayed) +
                          std::ranges::count_if(finished, [&](absl::Time time) {
                            return time >= delayed.back();
                          });
  // Some of the earliest may replace the succeeded pod.
  if (!came_at_once) {
    failures -= std::ranges::count(delayed, delayed.front()) - 1;
  }
  return failures;
}

// New pods are those not counted yet. As in the controller, new failures add to
// old ones, and a new success drops old ones.
Failures FailuresAfterLastSuccess(const Job& job, const Pods& pods,
                                  const Gates& gates) {
  absl::Time old_success = absl::InfinitePast();
  absl::Time new_success = absl::InfinitePast();
  std::int64_t unseen_successes = job.status().succeeded();
  for (const Pod* pod : pods) {
    if (!HasPhase(*pod, "Succeeded")) continue;
    const bool is_new = HasTrackingFinalizer(*pod);
    if (!is_new) --unseen_successes;
    absl::Time& success = is_new ? new_success : old_success;
    success = std::max(success, FinishTime(*pod, gates));
  }
  Failures before;
  Failures since;
  std::vector<absl::Time> old_failures;
  std::int64_t gone = job.status().failed();
  for (const Pod* pod : pods) {
    if (!IsPodFailed(*pod, job.spec(), gates)) continue;
    const absl::Time finished = FinishTime(*pod, gates);
    if (HasTrackingFinalizer(*pod)) {
      if (finished > new_success) Add(finished, since);
    } else {
      if (finished > old_success) {
        Add(finished, before);
        old_failures.push_back(finished);
      }
      if (MatchPodFailurePolicy(*pod, job.spec(), gates).counts) --gone;
    }
  }
  if (new_success != absl::InfinitePast()) return since;
  const bool has_success =
      job.status().succeeded() > 0 || old_success != absl::InfinitePast();
  if (!has_success) before.count += std::max<std::int64_t>(0, gone);
  const std::optional<absl::Time> begin =
      has_success ? old_success : TimeIfSet(job.status().start_time());
  // An unreported success may be later than everything in the report.
  if (begin.has_value() && unseen_successes <= 0 &&
      job.spec().parallelism() <= kCreatedWithinBase) {
    before.count = std::max(
        before.count,
        FailuresByReplacements(pods, *begin, has_success, old_failures));
  }
  return {before.count + since.count,
          since.count > 0 ? since.last : before.last};
}

}  // namespace

bool HasPodFailurePolicy(const JobSpec& spec, const Gates& gates) {
  return gates.pod_failure_policy && spec.has_pod_failure_policy();
}

PodFailureMatch MatchPodFailurePolicy(const Pod& pod, const JobSpec& spec,
                                      const Gates& gates) {
  if (!HasPodFailurePolicy(spec, gates)) return {};
  const PodFailureRule found = FindPodFailureRule(
      pod, spec.pod_failure_policy(), gates.backoff_limit_per_index);
  if (found.rule == nullptr) return {};
  const std::string& action = found.rule->action();
  return {action, action != "Ignore",
          action == "FailJob"
              ? absl::StrFormat("%s matching FailJob rule at index %d",
                                Finding(found, pod), found.index)
              : ""};
}

bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  if (HasPhase(pod, "Failed")) return true;
  const bool waits = (gates.pod_replacement_policy &&
                      spec.pod_replacement_policy() == "Failed") ||
                     HasPodFailurePolicy(spec, gates);
  return !waits && !HasPhase(pod, "Succeeded") &&
         pod.metadata().has_deletion_timestamp();
}

bool HasValidIndex(const Pod& pod, const JobSpec& spec) {
  return !IsIndexed(spec) || CompletionIndex(pod, spec.completions());
}

std::int64_t FailureCount(const Job& job, const Pods& pods,
                          const Gates& gates) {
  const auto& uncounted = job.status().uncounted_terminated_pods().failed();
  return job.status().failed() + std::int64_t{uncounted.size()} +
         std::ranges::count_if(pods, [&](const Pod* pod) {
           return IsPodFailed(*pod, job.spec(), gates) &&
                  IsNew(*pod, job.spec(), uncounted) &&
                  MatchPodFailurePolicy(*pod, job.spec(), gates).counts;
         });
}

std::int64_t SuccessCount(const Job& job, const Pods& pods) {
  const auto& uncounted = job.status().uncounted_terminated_pods().succeeded();
  return job.status().succeeded() + std::int64_t{uncounted.size()} +
         std::ranges::count_if(pods, [&](const Pod* pod) {
           return HasPhase(*pod, "Succeeded") &&
                  IsNew(*pod, job.spec(), uncounted);
         });
}

std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods) {
  if (spec.template_().spec().restart_policy() != "OnFailure") return 0;
  std::int64_t restarts = 0;
  for (const Pod* pod : pods) {
    if (HasPhase(*pod, "Running") || HasPhase(*pod, "Pending")) {
      restarts += ContainerRestartsOf(*pod);
    }
  }
  return restarts;
}

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
