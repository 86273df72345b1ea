// Conditions of a Workload: their names and how they change.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_CONDITIONS_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_CONDITIONS_H_

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "google/protobuf/repeated_field.h"
#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Types.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kRequeued = "Requeued";
inline constexpr std::string_view kDeactivationTarget = "DeactivationTarget";
inline constexpr std::string_view kFinished = "Finished";

// Reasons for Evicted. A deactivation by Kueue adds its cause:
// "DeactivatedDueTo" + cause.
inline constexpr std::string_view kPodsReadyTimeout = "PodsReadyTimeout";
inline constexpr std::string_view kAdmissionCheck = "AdmissionCheck";
inline constexpr std::string_view kClusterQueueStopped = "ClusterQueueStopped";
inline constexpr std::string_view kLocalQueueStopped = "LocalQueueStopped";
inline constexpr std::string_view kNodeFailures = "NodeFailures";
inline constexpr std::string_view kDeactivated = "Deactivated";
inline constexpr std::string_view kFlavorMigration = "FlavorMigration";

// Causes under a reason; the reasons of DeactivationTarget and PodsReady.
inline constexpr std::string_view kWaitForStart = "WaitForStart";
inline constexpr std::string_view kWaitForRecovery = "WaitForRecovery";
inline constexpr std::string_view kRequeuingLimitExceeded =
    "RequeuingLimitExceeded";
inline constexpr std::string_view kMaximumExecutionTimeExceeded =
    "MaximumExecutionTimeExceeded";

using Conditions = google::protobuf::RepeatedPtrField<Condition>;

const Condition* FindCondition(const Conditions& conditions,
                               std::string_view type);
bool IsTrue(const Conditions& conditions, std::string_view type);

// Sets the condition as apimachinery does: a new one gets `now`, a change of
// status too, a change of reason or message alone does not. Messages end in
// " ..." after 32 KiB.
void SetCondition(std::string_view type, bool status, std::string_view reason,
                  std::string_view message, absl::Time now,
                  Conditions& conditions);
void RemoveCondition(std::string_view type, Conditions& conditions);

// spec.active, true when absent.
bool IsActive(const Workload& workload);
bool IsFinished(const WorkloadStatus& status);
bool IsAdmitted(const WorkloadStatus& status);
bool HasQuotaReservation(const WorkloadStatus& status);
bool IsEvicted(const WorkloadStatus& status);
// Waits without a place in the queue: scaled to zero, say.
bool IsOnHold(const WorkloadStatus& status);
// Whether a reason of Evicted or Requeued is a deactivation, by anyone. Match
// by prefix: the cause may be appended.
bool IsDeactivation(std::string_view reason);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_CONDITIONS_H_
