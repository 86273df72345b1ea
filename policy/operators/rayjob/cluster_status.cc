#include "policy/operators/rayjob/cluster_status.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace mulligan::rayjob {
namespace {

constexpr std::string_view kTrue = "True";

struct ReasonRow {
  PodCallError error;
  std::string_view reason;
};

constexpr std::array<ReasonRow, 5> kReasons = {{
    {{"delete", ""}, "FailedDeleteAllPods"},
    {{"delete", "head"}, "FailedDeleteHeadPod"},
    {{"create", "head"}, "FailedCreateHeadPod"},
    {{"delete", "worker"}, "FailedDeleteWorkerPod"},
    {{"create", "worker"}, "FailedCreateWorkerPod"},
}};

Condition Provisioned(std::string_view status, std::string_view reason,
                      std::string_view message) {
  Condition condition;
  condition.set_type(std::string(kProvisioned));
  condition.set_status(std::string(status));
  condition.set_reason(std::string(reason));
  condition.set_message(std::string(message));
  return condition;
}

}  // namespace

Condition ProvisionedCondition(const Condition* before, bool all_pods_ready) {
  if (before != nullptr && before->status() == kTrue) return *before;
  if (all_pods_ready) {
    return Provisioned(kTrue, "AllPodRunningAndReadyFirstTime",
                       "All Ray Pods are ready for the first time");
  }
  return Provisioned("False", "RayClusterPodsProvisioning",
                     "RayCluster Pods are being provisioned for first time");
}

std::optional<std::string> ReplicaFailureReason(const PodCallError& error) {
  for (const ReasonRow& row : kReasons) {
    if (row.error.call == error.call && row.error.node == error.node) {
      return std::string(row.reason);
    }
  }
  return std::nullopt;
}

std::string PodCallMessage(const PodCallError& error, std::string_view pod,
                           std::string_view why) {
  return absl::StrCat("Failed to ", std::string(error.call), " ",
                      std::string(error.node), " Pod ", std::string(pod), ", ",
                      std::string(why));
}

std::string ClusterState(const std::string& before, bool has_error,
                         bool all_pods_ready) {
  return !has_error && all_pods_ready ? std::string(kClusterReady) : before;
}

}  // namespace mulligan::rayjob
