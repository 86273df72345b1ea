#include "policy/operators/kueue/failure_recovery.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/job/pods.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kReason = "KueueForcefullyDeleted";
constexpr absl::Duration kGracePeriod = absl::Minutes(1);

}  // namespace

bool MayBeForcefullyDeleted(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto allowed = annotations.find(std::string(kSafeToDelete));
  return allowed != annotations.end() && allowed->second == "true" &&
         job::IsBeingDeleted(pod);
}

bool IsUnreachable(const Node& node) {
  const auto& taints = node.spec().taints();
  return std::any_of(taints.begin(), taints.end(), [](const Taint& taint) {
    return taint.key() == "node.kubernetes.io/unreachable";
  });
}

bool PodUpdateCounts(const Pod* before, const Pod& after) {
  return (before == nullptr || !MayBeForcefullyDeleted(*before)) &&
         MayBeForcefullyDeleted(after);
}

bool NodeUpdateCounts(const Node* before, const Node& after) {
  return (before == nullptr || !IsUnreachable(*before)) && IsUnreachable(after);
}

Recovery RecoverPod(const Pod& pod, const Node* node, absl::Time now) {
  if (!MayBeForcefullyDeleted(pod)) return {};
  Recovery recovery;
  const absl::Time due =
      ToTime(pod.metadata().deletion_timestamp()) + kGracePeriod;
  if (now < due) {
    recovery.requeue_after = due - now;
    return recovery;
  }
  if (node == nullptr || !IsUnreachable(*node)) return {};
  const std::string message = absl::StrFormat(
      "Pod forcefully terminated after 1m0s grace period due to unreachable "
      "node `%s` (triggered by `%s` annotation)",
      pod.spec().node_name(), kSafeToDelete);
  PodCondition condition;
  condition.set_type("KueueFailureRecovery");
  condition.set_status("True");
  condition.set_reason(std::string(kReason));
  condition.set_message(message);
  SetTime(now, *condition.mutable_last_transition_time());
  recovery.condition = std::move(condition);
  recovery.event =
      Event{std::string(kWarningEvent), std::string(kReason), message};
  return recovery;
}

}  // namespace mulligan::kueue
