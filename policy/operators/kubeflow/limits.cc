#include "policy/operators/kubeflow/limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"
#include "policy/operators/kubeflow/conditions.h"
#include "policy/operators/kubeflow/kinds.h"

namespace mulligan::kubeflow {
namespace {

std::int64_t RestartsOf(const Pod& pod) {
  std::int64_t restarts = 0;
  for (const auto& status : pod.status().init_container_statuses()) {
    restarts += status.restart_count();
  }
  for (const auto& status : pod.status().container_statuses()) {
    restarts += status.restart_count();
  }
  return restarts;
}

bool IsActive(const Pod& pod) {
  return pod.status().phase() != kPodSucceeded &&
         pod.status().phase() != kPodFailed &&
         !pod.metadata().has_deletion_timestamp();
}

}  // namespace

bool RestartsReplica(const ReplicaSpec& spec) {
  return spec.restart_policy() == kOnFailure ||
         spec.restart_policy() == kAlways || spec.restart_policy() == kExitCode;
}

Pods PodsOfType(const Pods& pods, std::string_view type) {
  const std::string wanted = absl::AsciiStrToLower(std::string(type));
  Pods found;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(found),
               [&](const Pod* pod) {
                 const auto& labels = pod->metadata().labels();
                 const auto label = labels.find(std::string(kReplicaTypeLabel));
                 return label != labels.end() && label->second == wanted;
               });
  return found;
}

std::int64_t CountedRestarts(const Replicas& replicas, const Pods& pods) {
  std::int64_t restarts = 0;
  for (const auto& [type, spec] : replicas) {
    if (!RestartsReplica(spec)) continue;
    for (const Pod* const pod : PodsOfType(pods, type)) {
      if (pod->status().phase() == kPodRunning) restarts += RestartsOf(*pod);
    }
  }
  return restarts;
}

bool PastBackoffLimit(const RunPolicy& policy, std::int64_t restarts) {
  if (!policy.has_backoff_limit()) return false;
  return policy.backoff_limit() == 0 ? restarts > 0
                                     : restarts >= policy.backoff_limit();
}

std::int64_t ToleratedRestarts(std::int32_t backoff_limit) {
  return backoff_limit == 0 ? 0 : std::int64_t{backoff_limit} - 1;
}

bool ExceedsBackoffLimit(const RunPolicy& policy, const JobStatus& status,
                         const Replicas& replicas, const Pods& pods,
                         std::int64_t requeues) {
  if (!policy.has_backoff_limit()) return false;
  std::int64_t known = 0;
  for (const auto& [type, counts] : status.replica_statuses()) {
    known += counts.failed();
  }
  const auto failed = std::count_if(
      pods.begin(), pods.end(),
      [](const Pod* pod) { return pod->status().phase() == kPodFailed; });
  const auto active = std::count_if(
      pods.begin(), pods.end(), [](const Pod* pod) { return IsActive(*pod); });
  return failed > known && active != TotalReplicas(replicas) &&
         requeues >= policy.backoff_limit();
}

bool PastActiveDeadline(const RunPolicy& policy, const JobStatus& status,
                        const google::protobuf::Timestamp& now) {
  if (!policy.has_active_deadline_seconds() || !status.has_start_time()) {
    return false;
  }
  return ToTime(now) - ToTime(status.start_time()) >=
         absl::Seconds(policy.active_deadline_seconds());
}

}  // namespace mulligan::kubeflow
