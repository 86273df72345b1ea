#include "policy/operators/job/counting.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {
bool Lists(const google::protobuf::RepeatedPtrField<std::string>& uids,
           const Pod& pod) {
  return std::find(uids.begin(), uids.end(), pod.metadata().uid()) !=
         uids.end();
}

bool IsIndexed(const JobSpec& spec) {
  return spec.completion_mode() == "Indexed";
}

bool IsSuspended(const JobSpec& spec) { return spec.suspend(); }

bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates) {
  return gates.backoff_limit_per_index && spec.has_backoff_limit_per_index();
}

bool OnlyReplacesFailedPods(const JobSpec& spec, const Gates& gates) {
  return (gates.pod_replacement_policy &&
          spec.pod_replacement_policy() == "Failed") ||
         PodFailurePolicyOf(spec, gates) != nullptr;
}

bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  if (HasPhase(pod, "Failed")) return true;
  if (OnlyReplacesFailedPods(spec, gates)) return false;
  return IsTerminating(pod);
}

bool CountsAsFailed(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  return MatchPodFailurePolicy(PodFailurePolicyOf(spec, gates), pod, gates)
      .counts;
}

bool HasValidIndex(const Pod& pod, const JobSpec& spec) {
  if (!IsIndexed(spec)) return true;
  const auto index = CompletionIndex(pod);
  return index.has_value() && *index < spec.completions();
}

NewlyFinished NewlyFinishedPods(const Job& job, const Pods& pods,
                                const Gates& gates) {
  const auto& uncounted = job.status().uncounted_terminated_pods();
  NewlyFinished finished;
  for (const Pod* pod : pods) {
    if (!HasTrackingFinalizer(*pod) || !HasValidIndex(*pod, job.spec())) {
      continue;
    }
    if (HasPhase(*pod, "Succeeded") && !Lists(uncounted.succeeded(), *pod)) {
      finished.succeeded.push_back(pod);
    }
    if (IsPodFailed(*pod, job.spec(), gates) &&
        !Lists(uncounted.failed(), *pod)) {
      finished.failed.push_back(pod);
    }
  }
  return finished;
}

std::int64_t FailureCount(const Job& job, const Pods& newly_failed,
                          const Gates& gates) {
  const auto counted = std::count_if(
      newly_failed.begin(), newly_failed.end(),
      [&](const Pod* pod) { return CountsAsFailed(*pod, job.spec(), gates); });
  return job.status().failed() +
         job.status().uncounted_terminated_pods().failed_size() + counted;
}

std::int64_t CountedRestarts(const JobSpec& spec, const Pods& pods) {
  if (spec.template_().spec().restart_policy() != "OnFailure") return 0;
  std::int64_t restarts = 0;
  for (const Pod* pod : pods) {
    if (!HasPhase(*pod, "Running") && !HasPhase(*pod, "Pending")) continue;
    for (const auto* containers : {&pod->status().container_statuses(),
                                   &pod->status().init_container_statuses()}) {
      for (const ContainerStatus& container : *containers) {
        restarts += container.restart_count();
      }
    }
  }
  return restarts;
}

bool ExceedsOnFailureLimit(const JobSpec& spec, const Pods& pods) {
  // A limit of 0 tolerates no restart, but no restart at all is within it.
  return CountedRestarts(spec, pods) >= std::max(1, spec.backoff_limit());
}

}  // namespace mulligan::job
