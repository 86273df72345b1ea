// A Workload: what its status says, and how Kueue's controllers change it.
// What nobody looks at again, such as the times of most conditions and the
// messages of checks, is left as it was.
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

// Types of conditions.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kRequeued = "Requeued";
inline constexpr std::string_view kDeactivationTarget = "DeactivationTarget";
inline constexpr std::string_view kFinished = "Finished";

// Reasons for Evicted, beside "ClusterQueueStopped" and "LocalQueueStopped". A
// deactivation by Kueue adds its cause: "DeactivatedDueTo" + cause.
inline constexpr std::string_view kPodsReadyTimeout = "PodsReadyTimeout";
inline constexpr std::string_view kAdmissionCheck = "AdmissionCheck";
inline constexpr std::string_view kNodeFailures = "NodeFailures";
inline constexpr std::string_view kDeactivated = "Deactivated";

// Causes under a reason; the reasons of DeactivationTarget and PodsReady.
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

// Adds the condition, or changes the one of its type, but for its time.
// Messages end in " ..." after 32 KiB.
Condition& SetCondition(std::string_view type, bool value,
                        std::string_view reason, std::string_view message,
                        WorkloadStatus& status);

// spec.active, true when absent.
bool IsActive(const Workload& workload);
// Whether a reason of Evicted or Requeued is a deactivation, by anyone. Match
// by prefix: the cause may be appended.
bool IsDeactivation(std::string_view reason);

bool HasCheckIn(std::string_view state, const WorkloadStatus& status);

// "AdmissionCheck in Retry state: "name" (message)"; sorted by name.
std::string ChecksMessage(std::string_view state, const WorkloadStatus& status);

// requeueAt; absent also for the zero time.
std::optional<absl::Time> RequeueAt(const WorkloadStatus& status);

// Moves requeueAt to `until` when that is later.
void DelayRequeue(absl::Time until, WorkloadStatus& status);

// Counts one readiness timeout at `now`: count + 1, and a wait by the new
// count, without jitter.
void CountRequeue(const Backoff& backoff, absl::Time now,
                  WorkloadStatus& status);

// The time to which checks that retry later move requeueAt: the latest of
// lastTransitionTime + requeueAfterSeconds. Absent: they do not.
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

// Sets Evicted, counts in schedulingStats, and resets the checks to Pending:
// those in state Retry keep their retry count, one higher. Quota and Admitted
// stay until the job has stopped.
void Evict(const Eviction& eviction, WorkloadStatus& status);

// What the report has of the cluster.
struct NodeView {
  const google::protobuf::RepeatedPtrField<Node>& nodes;
  const google::protobuf::RepeatedPtrField<Pod>& pods;
  const Gates& gates;
  absl::Time now;
};

// What failed nodes do to a workload that topology-aware scheduling (TAS)
// placed on them: one is replaced, a second one evicts.
//
// Looks at each reported node to which a workload that is not evicted is
// assigned by host name. The first unhealthy one is listed in unhealthyNodes
// for replacement, a second one evicts, one that is healthy again is taken off.
void FollowNodes(const NodeView& view, Workload& workload);

// A queue, as far as it stops workloads.
struct Queue {
  // "LocalQueue" or "ClusterQueue".
  std::string kind;
  // Empty: not known. Only an admission names the ClusterQueue.
  std::string name;
  // "None", "Hold" or "HoldAndDrain"; empty: not known, so it stops nothing
  // and starts nothing.
  std::string stop_policy;

  // "LocalQueue lq".
  std::string Title() const { return name.empty() ? kind : kind + " " + name; }
  // Why it evicts: "LocalQueueStopped".
  std::string Reason() const { return kind + "Stopped"; }
  bool IsStopped() const {
    return !stop_policy.empty() && stop_policy != "None";
  }
};

// What the controller looks at beside the workload.
struct Observed {
  const WaitForPodsReady& wait_for_pods_ready;
  // In the order in which they are looked at.
  std::array<Queue, 2> queues;
  const Gates& gates;
  absl::Time now;
};

// Passes of the controller until nothing changes any more, or until the
// workload is evicted for good: a requeueAt that keeps the controller from
// looking on is waited for before that. The job behind the workload does not
// move meanwhile: an evicted workload keeps its quota, and its clocks go on.
void Settle(Observed observed, Workload& workload);

// How long until readiness or execution time run out; 0: no clock runs.
absl::Duration NextTimeout(const Observed& observed, const Workload& workload);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_WORKLOAD_H_
