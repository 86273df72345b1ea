#include "policy/operators/job/counting.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"

namespace mulligan::job {
namespace {

using Uids = google::protobuf::RepeatedPtrField<std::string>;

bool IsNew(const Pod& pod, const JobSpec& spec, const Uids& uncounted) {
  return HasTrackingFinalizer(pod) && HasValidIndex(pod, spec) &&
         !Lists(uncounted, pod);
}

}  // namespace

bool IsPodFailed(const Pod& pod, const JobSpec& spec, const Gates& gates) {
  if (HasPhase(pod, "Failed")) return true;
  const bool waits = (gates.pod_replacement_policy &&
                      spec.pod_replacement_policy() == "Failed") ||
                     HasPodFailurePolicy(spec, gates);
  return !waits && IsTerminating(pod);
}

bool HasValidIndex(const Pod& pod, const JobSpec& spec) {
  return !IsIndexed(spec) || CompletionIndex(pod, spec.completions());
}

bool Lists(const Uids& uids, const Pod& pod) {
  return std::find(uids.begin(), uids.end(), pod.metadata().uid()) !=
         uids.end();
}

std::int64_t FailureCount(const Job& job, const Pods& pods,
                          const Gates& gates) {
  const auto& uncounted = job.status().uncounted_terminated_pods().failed();
  return job.status().failed() + std::int64_t{uncounted.size()} +
         std::count_if(pods.begin(), pods.end(), [&](const Pod* pod) {
           return IsPodFailed(*pod, job.spec(), gates) &&
                  IsNew(*pod, job.spec(), uncounted) &&
                  MatchPodFailurePolicy(*pod, job.spec(), gates).counts;
         });
}

std::int64_t SuccessCount(const Job& job, const Pods& pods) {
  const auto& uncounted = job.status().uncounted_terminated_pods().succeeded();
  return job.status().succeeded() + std::int64_t{uncounted.size()} +
         std::count_if(pods.begin(), pods.end(), [&](const Pod* pod) {
           return HasPhase(*pod, "Succeeded") &&
                  IsNew(*pod, job.spec(), uncounted);
         });
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

}  // namespace mulligan::job
