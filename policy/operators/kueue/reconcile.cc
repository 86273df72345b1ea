#include "policy/operators/kueue/reconcile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/checks.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/eviction.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kDeactivatedMessage = "The workload is deactivated";

// More than a workload needs that comes to rest at all: a check that retries
// moves the requeueAt that an inactive workload loses again.
constexpr int kMostPasses = 20;

bool IsStopped(const Queue& queue) {
  return !queue.stop_policy.empty() && queue.stop_policy != "None";
}

void SetTarget(std::string_view cause, std::string_view message, absl::Time now,
               WorkloadStatus& status) {
  SetCondition(kDeactivationTarget, true, cause, message, now,
               *status.mutable_conditions());
}

// Steps of a pass: true ends it.

bool LeaveFinished(const World&, Workload& workload) {
  return IsFinished(workload.status());
}

bool DelayForChecks(const World& world, Workload& workload) {
  const std::optional<absl::Time> at =
      PendingRequeueAt(workload.status(), world.now);
  if (at.has_value()) DelayRequeue(*at, *workload.mutable_status());
  return at.has_value();
}

bool FollowTarget(const World&, Workload& workload) {
  if (!IsActive(workload) ||
      !IsTrue(workload.status().conditions(), kDeactivationTarget)) {
    return false;
  }
  workload.mutable_spec()->set_active(false);
  return true;
}

bool AwaitBackoff(const World& world, Workload& workload) {
  return IsActive(workload) &&
         RequeueAt(workload.status()).value_or(absl::InfinitePast()) >
             world.now;
}

bool EvictInactive(const World& world, Workload& workload) {
  if (IsActive(workload)) return false;
  WorkloadStatus& status = *workload.mutable_status();
  const bool evicts = !IsEvicted(status);
  if (!evicts && !status.has_requeue_state()) return false;
  std::string cause;
  std::string message(kDeactivatedMessage);
  if (const Condition* const target =
          FindCondition(status.conditions(), kDeactivationTarget)) {
    cause = target->reason();
    absl::StrAppend(&message, " due to ", target->message());
  }
  RemoveCondition(kDeactivationTarget, *status.mutable_conditions());
  status.clear_requeue_state();
  if (evicts) {
    Evict({std::string(kDeactivated), cause, message}, world.now, status);
  }
  return true;
}

void NoQuota(const World& world, std::string_view reason,
             std::string_view message, WorkloadStatus& status) {
  SetCondition(kQuotaReserved, false,
               world.gates.unadmitted_observability ? reason : "Inadmissible",
               message, world.now, *status.mutable_conditions());
}

void ExplainMissingQuota(const World& world, const Workload& workload,
                         WorkloadStatus& status) {
  if (world.gates.unadmitted_observability) {
    if (!IsActive(workload)) {
      return NoQuota(world, kDeactivated, kDeactivatedMessage, status);
    }
    if (IsOnHold(status)) return;
  }
  if (IsStopped(world.local_queue)) {
    NoQuota(
        world, "Suspended",
        absl::StrFormat("LocalQueue %s is inactive", world.local_queue.name),
        status);
  } else if (IsStopped(world.cluster_queue)) {
    NoQuota(world, "Suspended",
            absl::StrFormat("ClusterQueue %s is inactive",
                            world.cluster_queue.name),
            status);
  }
}

// Without quota there is nothing more to look at.
bool SyncWithoutAdmission(const World& world, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  const bool reserved = HasQuotaReservation(status);
  if (IsAdmitted(status)) return !reserved;
  if (!reserved) {
    ExplainMissingQuota(world, workload, status);
  } else if (AreAllChecksReady(status)) {
    SetCondition(kAdmitted, true, kAdmitted, "The workload is admitted",
                 world.now, *status.mutable_conditions());
  }
  return !reserved;
}

bool FollowChecks(const World& world, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  if (IsEvicted(status)) return false;
  if (HasCheckIn(kCheckRejected, status)) {
    SetTarget(kAdmissionCheck, ChecksMessage(kCheckRejected, status), world.now,
              status);
    return true;
  }
  if (!HasCheckIn(kCheckRetry, status)) return false;
  Evict({std::string(kAdmissionCheck), "",
         absl::StrCat("Evicted due to ", ChecksMessage(kCheckRetry, status))},
        world.now, status);
  return true;
}

bool FollowQueue(const World& world, const Queue& queue, std::string_view kind,
                 std::string_view stopped, WorkloadStatus& status) {
  if (IsAdmitted(status)) {
    if (queue.stop_policy != "HoldAndDrain" || IsEvicted(status)) return false;
    Evict(
        {std::string(stopped), "", absl::StrFormat("The %s is stopped", kind)},
        world.now, status);
    return true;
  }
  if (!IsStopped(queue)) return false;
  NoQuota(world, "Suspended",
          absl::StrFormat("%s %s is stopped", kind, queue.name), status);
  status.clear_admission();
  return true;
}

bool FollowQueues(const World& world, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  return FollowQueue(world, world.local_queue, "LocalQueue", kLocalQueueStopped,
                     status) ||
         FollowQueue(world, world.cluster_queue, "ClusterQueue",
                     kClusterQueueStopped, status);
}

// A clock that ends in an eviction or a deactivation.
struct Clock {
  // Empty: none runs.
  std::string_view cause;
  // 0: it has run out.
  absl::Duration remaining;
};

Clock Since(const Condition& condition, absl::Duration limit,
            std::string_view cause, absl::Time now) {
  const absl::Duration elapsed = now - ToTime(condition.last_transition_time());
  return {cause, std::max(limit - elapsed, absl::ZeroDuration())};
}

// A start is timed from the admission, a recovery from the loss of readiness.
Clock ReadinessClock(const World& world, const Workload& workload) {
  const WorkloadStatus& status = workload.status();
  const auto& settings = world.wait_for_pods_ready;
  const Condition* const admitted =
      FindCondition(status.conditions(), kAdmitted);
  if (world.gates.disable_wait_for_pods_ready || !IsActive(workload) ||
      IsEvicted(status) || !IsAdmitted(status) ||
      IsTrue(status.conditions(), kPodsReady)) {
    return {};
  }
  const Condition* const ready = FindCondition(status.conditions(), kPodsReady);
  // "PodsReady" is what older releases wrote.
  if (ready == nullptr || ready->reason() == kWaitForStart ||
      ready->reason() == kPodsReady) {
    return Since(*admitted, settings.timeout, kWaitForStart, world.now);
  }
  if (ready->reason() == kWaitForRecovery &&
      settings.recovery_timeout.has_value()) {
    return Since(*ready, *settings.recovery_timeout, kWaitForRecovery,
                 world.now);
  }
  return {};
}

// Earlier admissions count.
Clock ExecutionClock(const World& world, const Workload& workload) {
  const WorkloadStatus& status = workload.status();
  if (!IsAdmitted(status) ||
      !workload.spec().has_maximum_execution_time_seconds()) {
    return {};
  }
  const std::int64_t left =
      std::int64_t{workload.spec().maximum_execution_time_seconds()} -
      status.accumulated_past_execution_time_seconds();
  return Since(*FindCondition(status.conditions(), kAdmitted),
               absl::Seconds(left), kMaximumExecutionTimeExceeded, world.now);
}

bool HasRunOut(const Clock& clock) {
  return !clock.cause.empty() && clock.remaining == absl::ZeroDuration();
}

bool WatchReadiness(const World& world, Workload& workload) {
  const Clock clock = ReadinessClock(world, workload);
  if (!HasRunOut(clock)) return false;
  WorkloadStatus& status = *workload.mutable_status();
  const auto& settings = world.wait_for_pods_ready;
  const auto& limit = settings.backoff_limit_count;
  if (limit.has_value() && status.requeue_state().count() + 1LL > *limit) {
    SetTarget(kRequeuingLimitExceeded,
              "exceeding the maximum number of re-queuing retries", world.now,
              status);
    return false;
  }
  CountRequeue(settings.backoff, world.now, status);
  Evict({std::string(kPodsReadyTimeout), std::string(clock.cause),
         absl::StrCat("Exceeded the PodsReady timeout ",
                      workload.metadata().namespace_(), "/",
                      workload.metadata().name())},
        world.now, status);
  return false;
}

bool WatchExecutionTime(const World& world, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  if (!HasRunOut(ExecutionClock(world, workload)) ||
      IsTrue(status.conditions(), kDeactivationTarget)) {
    return false;
  }
  SetTarget(kMaximumExecutionTimeExceeded,
            "exceeding the maximum execution time", world.now, status);
  status.clear_accumulated_past_execution_time_seconds();
  return false;
}

using Step = bool (*)(const World&, Workload&);
// In the order of the controller.
constexpr Step kFirst[] = {LeaveFinished, DelayForChecks, FollowTarget,
                           AwaitBackoff, EvictInactive};
constexpr Step kThen[] = {SyncWithoutAdmission, FollowChecks, FollowQueues,
                          WatchReadiness, WatchExecutionTime};

template <typename Steps>
bool AnyEnds(const Steps& steps, const World& world, Workload& workload) {
  return std::any_of(std::begin(steps), std::end(steps),
                     [&](const Step step) { return step(world, workload); });
}

// By name, which shows in the paths of their counters.
void SortChecks(WorkloadStatus& status) {
  std::stable_sort(
      status.mutable_admission_checks()->begin(),
      status.mutable_admission_checks()->end(),
      [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// False: nothing changed.
bool Reconcile(const World& world, Workload& workload) {
  using google::protobuf::util::MessageDifferencer;
  const Workload before = workload;
  if (AnyEnds(kFirst, world, workload)) {
    return !MessageDifferencer::Equals(before, workload);
  }
  AnyEnds(kThen, world, workload);
  if (MessageDifferencer::Equals(before, workload)) return false;
  // Looked through on the way, and written with the rest.
  SortChecks(*workload.mutable_status());
  return true;
}

}  // namespace

bool Runs(const Queue& queue) {
  return !queue.stop_policy.empty() && !IsStopped(queue);
}

void Settle(World world, Workload& workload) {
  for (int i = 0; i < kMostPasses; ++i) {
    if (Reconcile(world, workload)) continue;
    if (IsEvicted(workload.status()) || !AwaitBackoff(world, workload)) return;
    world.now = *RequeueAt(workload.status());
  }
}

absl::Duration NextTimeout(const World& world, const Workload& workload) {
  const absl::Duration ready = ReadinessClock(world, workload).remaining;
  const absl::Duration execution = ExecutionClock(world, workload).remaining;
  const absl::Duration next = std::min(ready, execution);
  return next > absl::ZeroDuration() ? next : std::max(ready, execution);
}

}  // namespace mulligan::kueue
