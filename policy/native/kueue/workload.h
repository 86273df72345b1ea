// The status of a Workload and how Kueue's controllers change it. Leaves out
// what no later step reads, such as most condition times and check messages.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_WORKLOAD_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_WORKLOAD_H_

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/kueue/v1beta2/admission.pb.h"
#include "mulligan/kubernetes/kueue/v1beta2/workload.pb.h"
#include "mulligan/kubernetes/meta/v1/condition.pb.h"
#include "policy/native/kueue/settings.h"
#include "policy/native/objects.h"

namespace mulligan::kueue {

using Workload = kubernetes::kueue::v1beta2::Workload;
using WorkloadStatus = kubernetes::kueue::v1beta2::WorkloadStatus;
using AdmissionCheckState = kubernetes::kueue::v1beta2::AdmissionCheckState;
using Node = kubernetes::core::v1::Node;
using Pod = kubernetes::core::v1::Pod;
using Condition = kubernetes::meta::v1::Condition;
using Conditions = google::protobuf::RepeatedPtrField<Condition>;

// Condition types.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kRequeued = "Requeued";
inline constexpr std::string_view kDeactivationTarget = "DeactivationTarget";
inline constexpr std::string_view kFinished = "Finished";

// Reasons of Evicted, in addition to "ClusterQueueStopped" and
// "LocalQueueStopped". A deactivation by Kueue appends its cause:
// "DeactivatedDueTo" + cause.
inline constexpr std::string_view kPodsReadyTimeout = "PodsReadyTimeout";
inline constexpr std::string_view kAdmissionCheck = "AdmissionCheck";
inline constexpr std::string_view kNodeFailures = "NodeFailures";
inline constexpr std::string_view kDeactivated = "Deactivated";

// Causes under a reason; also the reasons of DeactivationTarget and PodsReady.
inline constexpr std::string_view kWaitForStart = "WaitForStart";
inline constexpr std::string_view kWaitForRecovery = "WaitForRecovery";
inline constexpr std::string_view kRequeuingLimitExceeded =
    "RequeuingLimitExceeded";
inline constexpr std::string_view kMaximumExecutionTimeExceeded =
    "MaximumExecutionTimeExceeded";

// States of an admission check.
inline constexpr std::string_view kCheckPending = "Pending";
inline constexpr std::string_view kCheckReady = "Ready";
inline constexpr std::string_view kCheckRetry = "Retry";
inline constexpr std::string_view kCheckRejected = "Rejected";

// Adds the condition, or changes the one of its type except its time. Truncates
// messages to 32 KiB plus " ...".
Condition& SetCondition(std::string_view type, bool value,
                        std::string_view reason, std::string_view message,
                        WorkloadStatus& status);

// Returns spec.active; true if absent.
bool IsActive(const Workload& workload);
// Returns whether a reason of Evicted or Requeued is a deactivation, by anyone.
// Matches by prefix, because the cause may be appended.
bool IsDeactivation(std::string_view reason);

bool HasCheckIn(std::string_view state, const WorkloadStatus& status);

// Returns 'AdmissionCheck in Retry state: "name" (message)', sorted by name.
std::string ChecksMessage(std::string_view state, const WorkloadStatus& status);

// Returns requeueAt; empty also for the zero time.
std::optional<absl::Time> RequeueAt(const WorkloadStatus& status);

// Moves requeueAt to `until` if that is later.
void DelayRequeue(absl::Time until, WorkloadStatus& status);

// Counts one readiness timeout at `now`: increments the count and sets the
// delay for it, without jitter.
void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status);

// Returns the time to which checks that retry later move requeueAt, the latest
// lastTransitionTime + requeueAfterSeconds; empty if they do not.
std::optional<absl::Time> PendingRequeueAt(const WorkloadStatus& status,
                                           absl::Time now);

// Why a workload loses its admission.
struct Eviction {
  // Short form: "Deactivated", "PodsReadyTimeout", ...
  std::string reason;
  // Cause under the reason; may be empty. Only a deactivation shows it, as
  // "DeactivatedDueTo" + cause.
  std::string cause;
  std::string message;
};

// Sets Evicted, counts in schedulingStats, and resets the checks to Pending;
// those in state Retry increment their retry count. Quota and Admitted stay
// until the job has stopped.
void Evict(const Eviction& eviction, WorkloadStatus& status);

// The report's view of the cluster.
struct NodeView {
  const google::protobuf::RepeatedPtrField<Node>& nodes;
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Gates& gates;
  absl::Time now;
};

// Applies the effect of failed nodes on a workload that topology-aware
// scheduling (TAS) placed on them. Checks each reported node to which the
// workload, if not evicted, is assigned by host name. The first unhealthy node
// is listed in unhealthyNodes for replacement, a second one evicts, and one
// that recovered is removed.
void FollowNodes(const NodeView& view, Workload& workload);

// A queue that may stop workloads.
struct Queue {
  // "LocalQueue" or "ClusterQueue".
  std::string kind;
  // Empty if unknown. Only an admission names the ClusterQueue.
  std::string name;
  // "None", "Hold" or "HoldAndDrain"; empty if unknown, so that it neither
  // stops nor starts anything.
  std::string stop_policy;

  std::string Title() const { return name.empty() ? kind : kind + " " + name; }
  // Returns the reason of its evictions: "LocalQueueStopped".
  std::string Reason() const { return kind + "Stopped"; }
  bool IsStopped() const {
    return !stop_policy.empty() && stop_policy != "None";
  }
};

// What the controller reads in addition to the workload.
struct Observed {
  const WaitForPodsReady& wait_for_pods_ready;
  // In the order in which the controller checks them.
  std::array<Queue, 2> queues;
  const Gates& gates;
  absl::Time now;
};

// Repeats passes of the controller until nothing changes or the workload is
// evicted for good; waits for a requeueAt that blocks the controller first. The
// workload's job does not change meanwhile: an evicted workload keeps its
// quota, and its clocks run on.
void Settle(Observed observed, Workload& workload);

// Returns the time to the next timeout (readiness, execution); 0 if none runs.
absl::Duration NextTimeout(const Observed& observed, const Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_WORKLOAD_H_
