// Passes of the Workload controller (Kueue 0.19) that decide about failures.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/base/times.h"
#include "policy/native/kueue/workload.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kDeactivatedMessage = "The workload is deactivated";

// More than any workload needs that settles at all. One that never does: a
// check that retries sets the requeueAt that an inactive workload loses again.
constexpr int kMaxPasses = 20;

void SetTarget(std::string_view cause, std::string_view message,
               WorkloadStatus& status) {
  SetCondition(kDeactivationTarget, true, cause, message, status);
}

// Steps of a pass. Return true to end it.

bool DelayForChecks(const Observed& observed, Workload& workload) {
  const std::optional<absl::Time> at =
      PendingRequeueAt(workload.status(), observed.now);
  if (at.has_value()) DelayRequeue(*at, *workload.mutable_status());
  return at.has_value();
}

bool FollowTarget(Workload& workload) {
  if (!IsActive(workload) ||
      !IsTrue(workload.status().conditions(), kDeactivationTarget)) {
    return false;
  }
  workload.mutable_spec()->set_active(false);
  return true;
}

bool AwaitBackoff(const Observed& observed, Workload& workload) {
  return IsActive(workload) &&
         RequeueAt(workload.status()).value_or(absl::InfinitePast()) >
             observed.now;
}

bool EvictInactive(Workload& workload) {
  if (IsActive(workload)) return false;
  WorkloadStatus& status = *workload.mutable_status();
  const bool evicts = !IsTrue(status.conditions(), kEvicted);
  if (!evicts && !status.has_requeue_state()) return false;
  std::string cause;
  std::string message(kDeactivatedMessage);
  if (const Condition* const target =
          FindCondition(status.conditions(), kDeactivationTarget)) {
    cause = target->reason();
    absl::StrAppend(&message, " due to ", target->message());
  }
  auto& conditions = *status.mutable_conditions();
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                  [](const Condition& condition) {
                                    return condition.type() ==
                                           kDeactivationTarget;
                                  }),
                   conditions.end());
  status.clear_requeue_state();
  if (evicts) {
    Evict({std::string(kDeactivated), cause, message}, status);
  }
  return true;
}

void NoQuota(const Observed& observed, std::string_view reason,
             std::string_view message, WorkloadStatus& status) {
  SetCondition(
      kQuotaReserved, false,
      observed.gates.unadmitted_observability ? reason : "Inadmissible",
      message, status);
}

// The scheduler's findings stay until it runs again.
constexpr std::array<std::string_view, 7> kFoundByScheduler = {
    "WaitingForQuota",     "NoMatchingFlavor",
    "ExceedsMaxQuota",     "TopologyPlacementFailed",
    "WaitingForPodsReady", "WaitingForPreemptedWorkloads",
    "PendingEvaluation",
};

void ExplainMissingQuota(const Observed& observed, const Workload& workload,
                         WorkloadStatus& status) {
  const bool fine_grained = observed.gates.unadmitted_observability;
  const Condition* const quota =
      FindCondition(status.conditions(), kQuotaReserved);
  if (fine_grained) {
    if (!IsActive(workload)) {
      return NoQuota(observed, kDeactivated, kDeactivatedMessage, status);
    }
    // Waits outside the queue, for example because it is scaled to zero.
    if (quota != nullptr && quota->status() == "False" &&
        quota->reason() == "OnHold") {
      return;
    }
  }
  for (const Queue& queue : observed.queues) {
    if (!queue.IsStopped()) continue;
    return NoQuota(observed, "Suspended",
                   absl::StrCat(queue.Title(), " is inactive"), status);
  }
  if (!fine_grained || quota == nullptr ||
      std::ranges::find(kFoundByScheduler, quota->reason()) !=
          kFoundByScheduler.end()) {
    return;
  }
  NoQuota(observed, "PendingEvaluation",
          "Workload is pending evaluation in the scheduling queue", status);
}

bool AreAllChecksReady(const WorkloadStatus& status) {
  const auto& checks = status.admission_checks();
  return std::ranges::all_of(
      checks, [](const auto& check) { return check.state() == kCheckReady; });
}

void SyncAdmitted(const Observed& observed, WorkloadStatus& status) {
  const bool reserved = IsTrue(status.conditions(), kQuotaReserved);
  if (reserved && AreAllChecksReady(status)) {
    Condition& admitted = SetCondition(kAdmitted, true, kAdmitted,
                                       "The workload is admitted", status);
    return SetTime(observed.now, *admitted.mutable_last_transition_time());
  }
  const auto& conditions = status.conditions();
  if (!observed.gates.unadmitted_observability ||
      (FindCondition(conditions, kQuotaReserved) == nullptr &&
       FindCondition(conditions, kAdmitted) == nullptr)) {
    return;
  }
  if (reserved) {
    SetCondition(kAdmitted, false, "UnsatisfiedAdmissionChecks",
                 "The workload has not all checks ready", status);
  } else {
    SetCondition(kAdmitted, false, "NoReservation",
                 "The workload has no reservation", status);
  }
}

// Ends the pass if there is no quota.
bool SyncWithoutAdmission(const Observed& observed, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  const bool reserved = IsTrue(status.conditions(), kQuotaReserved);
  if (IsTrue(status.conditions(), kAdmitted)) return !reserved;
  if (!reserved) ExplainMissingQuota(observed, workload, status);
  SyncAdmitted(observed, status);
  return !reserved;
}

bool FollowChecks(Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  if (IsTrue(status.conditions(), kEvicted)) return false;
  if (HasCheckIn(kCheckRejected, status)) {
    SetTarget(kAdmissionCheck, ChecksMessage(kCheckRejected, status), status);
    return true;
  }
  if (!HasCheckIn(kCheckRetry, status)) return false;
  Evict({std::string(kAdmissionCheck), "",
         absl::StrCat("Evicted due to ", ChecksMessage(kCheckRetry, status))},
        status);
  return true;
}

bool FollowQueues(const Observed& observed, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  const bool admitted = IsTrue(status.conditions(), kAdmitted);
  for (const Queue& queue : observed.queues) {
    if (admitted && queue.stop_policy == "HoldAndDrain" &&
        !IsTrue(status.conditions(), kEvicted)) {
      Evict({queue.Reason(), "",
             absl::StrFormat("The %s is stopped", queue.kind)},
            status);
      return true;
    }
    if (!admitted && queue.IsStopped()) {
      NoQuota(observed, "Suspended", absl::StrCat(queue.Title(), " is stopped"),
              status);
      return true;
    }
  }
  return false;
}

// A clock that ends in an eviction or a deactivation.
struct Clock {
  // Empty if no clock runs.
  std::string_view cause;
  // 0 if it has run out.
  absl::Duration remaining;
};

Clock Since(const Condition& condition, absl::Duration limit,
            std::string_view cause, absl::Time now) {
  const absl::Duration elapsed = now - ToTime(condition.last_transition_time());
  return {cause, std::max(limit - elapsed, absl::ZeroDuration())};
}

// A start is timed from the admission, a recovery from the loss of readiness.
Clock ReadinessClock(const Observed& observed, const Workload& workload) {
  const WorkloadStatus& status = workload.status();
  const auto& settings = observed.wait_for_pods_ready;
  const Condition* const admitted =
      FindCondition(status.conditions(), kAdmitted);
  if (observed.gates.disable_wait_for_pods_ready || !IsActive(workload) ||
      IsTrue(status.conditions(), kEvicted) ||
      !IsTrue(status.conditions(), kAdmitted) ||
      IsTrue(status.conditions(), kPodsReady)) {
    return {};
  }
  const Condition* const ready = FindCondition(status.conditions(), kPodsReady);
  // Older releases wrote "PodsReady".
  if (ready == nullptr || ready->reason() == kWaitForStart ||
      ready->reason() == kPodsReady) {
    return Since(*admitted, settings.timeout, kWaitForStart, observed.now);
  }
  if (ready->reason() == kWaitForRecovery &&
      settings.recovery_timeout.has_value()) {
    return Since(*ready, *settings.recovery_timeout, kWaitForRecovery,
                 observed.now);
  }
  return {};
}

// Includes the time of earlier admissions.
Clock ExecutionClock(const Observed& observed, const Workload& workload) {
  const WorkloadStatus& status = workload.status();
  if (!IsTrue(status.conditions(), kAdmitted) ||
      !workload.spec().has_maximum_execution_time_seconds()) {
    return {};
  }
  const std::int64_t left =
      std::int64_t{workload.spec().maximum_execution_time_seconds()} -
      status.accumulated_past_execution_time_seconds();
  return Since(*FindCondition(status.conditions(), kAdmitted),
               absl::Seconds(left), kMaximumExecutionTimeExceeded,
               observed.now);
}

bool HasRunOut(const Clock& clock) {
  return !clock.cause.empty() && clock.remaining == absl::ZeroDuration();
}

void WatchReadiness(const Observed& observed, Workload& workload) {
  const Clock clock = ReadinessClock(observed, workload);
  if (!HasRunOut(clock)) return;
  WorkloadStatus& status = *workload.mutable_status();
  const auto& settings = observed.wait_for_pods_ready;
  const auto& limit = settings.backoff_limit_count;
  if (limit.has_value() && status.requeue_state().count() + 1LL > *limit) {
    SetTarget(kRequeuingLimitExceeded,
              "exceeding the maximum number of re-queuing retries", status);
    return;
  }
  CountRequeue(settings.backoff, observed.now, status);
  Evict({std::string(kPodsReadyTimeout), std::string(clock.cause),
         absl::StrCat("Exceeded the PodsReady timeout ",
                      workload.metadata().namespace_(), "/",
                      workload.metadata().name())},
        status);
}

void WatchExecutionTime(const Observed& observed, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  if (!HasRunOut(ExecutionClock(observed, workload)) ||
      IsTrue(status.conditions(), kDeactivationTarget)) {
    return;
  }
  SetTarget(kMaximumExecutionTimeExceeded,
            "exceeding the maximum execution time", status);
  status.clear_accumulated_past_execution_time_seconds();
}

// Sorts by name, which determines the paths of their counters.
void SortChecks(WorkloadStatus& status) {
  std::stable_sort(
      status.mutable_admission_checks()->begin(),
      status.mutable_admission_checks()->end(),
      [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// Returns false if nothing changed.
bool Reconcile(const Observed& observed, Workload& workload) {
  using google::protobuf::util::MessageDifferencer;
  const Workload before = workload;
  if (DelayForChecks(observed, workload) || FollowTarget(workload) ||
      AwaitBackoff(observed, workload) || EvictInactive(workload)) {
    return !MessageDifferencer::Equals(before, workload);
  }
  if (!SyncWithoutAdmission(observed, workload) && !FollowChecks(workload) &&
      !FollowQueues(observed, workload)) {
    WatchReadiness(observed, workload);
    WatchExecutionTime(observed, workload);
  }
  if (MessageDifferencer::Equals(before, workload)) return false;
  // Sorted by the controller while reading, and written with the rest.
  SortChecks(*workload.mutable_status());
  return true;
}

}  // namespace

void Settle(Observed observed, Workload& workload) {
  for (int i = 0; i < kMaxPasses; ++i) {
    if (Reconcile(observed, workload)) continue;
    if (IsTrue(workload.status().conditions(), kEvicted) ||
        !AwaitBackoff(observed, workload))
      return;
    observed.now = *RequeueAt(workload.status());
  }
}

absl::Duration NextTimeout(const Observed& observed, const Workload& workload) {
  const absl::Duration ready = ReadinessClock(observed, workload).remaining;
  const absl::Duration execution = ExecutionClock(observed, workload).remaining;
  const absl::Duration next = std::min(ready, execution);
  return next > absl::ZeroDuration() ? next : std::max(ready, execution);
}

}  // namespace mulligan::kueue
