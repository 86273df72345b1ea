#include "policy/operators/kueue/reconcile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/execution_time.h"
#include "policy/operators/kueue/pods_ready.h"
#include "policy/operators/kueue/release.h"
#include "policy/operators/kueue/requeue.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kDeactivatedMessage = "The workload is deactivated";

bool Drains(const std::optional<Queue>& queue) {
  return queue.has_value() && queue->stop_policy == "HoldAndDrain";
}

bool IsStopped(const std::optional<Queue>& queue) {
  return queue.has_value() && !queue->stop_policy.empty() &&
         queue->stop_policy != "None";
}

bool Runs(const std::optional<Queue>& queue) {
  return queue.has_value() && !queue->missing && !IsStopped(queue);
}

class WorkloadPass {
 public:
  explicit WorkloadPass(const PassInput& input) : input_(input) {
    pass_.workload = input.workload;
  }

  Pass Run() && {
    // In the order of the controller; true ends the pass.
    using Step = bool (WorkloadPass::*)();
    for (const Step step :
         {&WorkloadPass::LeaveFinished, &WorkloadPass::DelayForChecks,
          &WorkloadPass::FollowTarget, &WorkloadPass::AwaitBackoff,
          &WorkloadPass::FinishBackoff, &WorkloadPass::EvictInactive,
          &WorkloadPass::FollowRestartedQueues,
          &WorkloadPass::SyncChecksOfQueue, &WorkloadPass::SyncWithoutAdmission,
          &WorkloadPass::LeavePending, &WorkloadPass::FollowChecks,
          &WorkloadPass::FollowLocalQueue, &WorkloadPass::FollowClusterQueue}) {
      if ((this->*step)()) return std::move(pass_);
    }
    const absl::Duration ready = WatchReadiness();
    const absl::Duration execution = WatchExecutionTime();
    pass_.requeue_after = std::min(ready, execution);
    if (pass_.requeue_after == absl::ZeroDuration()) {
      pass_.requeue_after = std::max(ready, execution);
    }
    return std::move(pass_);
  }

 private:
  WorkloadStatus& status() { return *pass_.workload.mutable_status(); }
  Conditions& conditions() { return *status().mutable_conditions(); }
  bool active() const { return IsActive(pass_.workload); }

  bool LeaveFinished() { return IsFinished(status()); }

  bool DelayForChecks() {
    const auto at = PendingRequeueAt(status(), input_.now);
    if (!at.has_value()) return false;
    SetRequeueState(*at, /*increment_count=*/false, status());
    return true;
  }

  bool FollowTarget() {
    if (!active() || !IsTrue(conditions(), kDeactivationTarget)) return false;
    pass_.workload.mutable_spec()->set_active(false);
    pass_.action = kDeactivateAction;
    return true;
  }

  bool AwaitBackoff() {
    const auto at = RequeueAt(status());
    if (!active() || !at.has_value() || *at <= input_.now) return false;
    pass_.requeue_after = *at - input_.now;
    return true;
  }

  void Requeue(std::string_view reason, std::string_view message) {
    SetCondition(kRequeued, true, reason, message, input_.now, conditions());
  }

  bool FinishBackoff() {
    if (!active()) return false;
    const bool over = RequeueAt(status()).has_value();
    // A pending workload loses requeueAt in a pass of its own.
    if (over && IsPending(status())) {
      status().mutable_requeue_state()->clear_requeue_at();
      return true;
    }
    const Condition* const requeued = FindCondition(conditions(), kRequeued);
    if (requeued == nullptr || requeued->status() != "False") return false;
    // Who was queued again at once has no Requeued=False to flip.
    const std::string_view later = LaterRequeuedReason(
        requeued->reason(), /*single_pod=*/false, input_.gates);
    if (later == "Reactivated") {
      Requeue(later, "The workload was reactivated");
      return true;
    }
    if (later != "BackoffFinished") return false;
    if (status().has_requeue_state()) {
      status().mutable_requeue_state()->clear_requeue_at();
    }
    Requeue(later, "The workload backoff was finished");
    return true;
  }

  void EvictFor(std::string_view reason, std::string_view cause,
                std::string message) {
    pass_.report =
        Evict({std::string(reason), std::string(cause), std::move(message)},
              input_.now, status());
    if (pass_.report.has_value()) pass_.events.push_back(pass_.report->event);
    pass_.action = kEvictAction;
  }

  bool EvictInactive() {
    if (active()) return false;
    const bool evicts = !IsEvicted(status());
    if (!evicts && !status().has_requeue_state()) return false;
    const Condition* const target =
        FindCondition(conditions(), kDeactivationTarget);
    std::string cause;
    std::string message(kDeactivatedMessage);
    if (target != nullptr) {
      cause = target->reason();
      absl::StrAppend(&message, " due to ", target->message());
    }
    RemoveCondition(kDeactivationTarget, conditions());
    status().clear_requeue_state();
    if (evicts) EvictFor(kDeactivated, cause, std::move(message));
    return true;
  }

  bool FollowRestart(const std::optional<Queue>& queue, std::string_view kind,
                     std::string_view stopped) {
    const Condition* const requeued = FindCondition(conditions(), kRequeued);
    if (!Runs(queue) || requeued == nullptr || requeued->status() != "False" ||
        requeued->reason() != stopped) {
      return false;
    }
    Requeue(std::string(kind) + "Restarted",
            absl::StrFormat("The %s was restarted after being stopped", kind));
    return true;
  }

  bool FollowRestartedQueues() {
    return FollowRestart(input_.local_queue, "LocalQueue",
                         kLocalQueueStopped) ||
           FollowRestart(input_.cluster_queue, "ClusterQueue",
                         kClusterQueueStopped);
  }

  bool SyncChecksOfQueue() {
    const auto& queue = input_.cluster_queue;
    return queue.has_value() && queue->admission_checks.has_value() &&
           SyncChecks(*queue->admission_checks, input_.now, status());
  }

  // Says why quota is not reserved; never ends the pass.
  bool SyncWithoutAdmission() {
    if (IsAdmitted(status())) return false;
    if (!HasQuotaReservation(status())) ExplainMissingQuota();
    SyncAdmitted(input_.now, status());
    return false;
  }

  void NoQuota(std::string_view reason, std::string_view message) {
    SetCondition(
        kQuotaReserved, false,
        input_.gates.unadmitted_observability ? reason : "Inadmissible",
        message, input_.now, conditions());
  }

  void ExplainMissingQuota() {
    if (input_.gates.unadmitted_observability) {
      if (!active()) return NoQuota(kDeactivated, kDeactivatedMessage);
      if (IsOnHold(status())) return;
    }
    const auto& local = input_.local_queue;
    const auto& cluster = input_.cluster_queue;
    if (local.has_value() && local->missing) {
      NoQuota("Misconfigured",
              absl::StrFormat("LocalQueue %s doesn't exist", local->name));
    } else if (IsStopped(local)) {
      NoQuota("Suspended",
              absl::StrFormat("LocalQueue %s is inactive", local->name));
    } else if (cluster.has_value() && cluster->missing) {
      NoQuota("Misconfigured",
              absl::StrFormat("ClusterQueue %s doesn't exist", cluster->name));
    } else if (IsStopped(cluster)) {
      NoQuota("Suspended",
              absl::StrFormat("ClusterQueue %s is inactive", cluster->name));
    }
  }

  bool LeavePending() { return !HasQuotaReservation(status()); }

  bool FollowChecks() {
    if (IsEvicted(status())) return false;
    if (HasCheckIn(kCheckRejected, status())) {
      const std::string message = ChecksMessage(kCheckRejected, status());
      SetCondition(kDeactivationTarget, true, kAdmissionCheck, message,
                   input_.now, conditions());
      pass_.events.push_back(
          {std::string(kWarningEvent), "AdmissionCheckRejected",
           EventMessage(absl::StrCat("Deactivated due to ", message))});
      pass_.action = kDeactivateAction;
      return true;
    }
    if (!HasCheckIn(kCheckRetry, status())) return false;
    EvictFor(
        kAdmissionCheck, "",
        absl::StrCat("Evicted due to ", ChecksMessage(kCheckRetry, status())));
    return true;
  }

  bool FollowQueue(const std::optional<Queue>& queue, std::string_view kind,
                   std::string_view stopped) {
    if (!queue.has_value()) return false;
    if (IsAdmitted(status())) {
      if (!Drains(queue) || IsEvicted(status())) return false;
      EvictFor(stopped, "", absl::StrFormat("The %s is stopped", kind));
      return true;
    }
    if (queue->missing || queue->terminating) {
      return LoseReservation("Misconfigured", "is terminating or missing", kind,
                             *queue);
    }
    return IsStopped(queue) &&
           LoseReservation("Suspended", "is stopped", kind, *queue);
  }

  bool LoseReservation(std::string_view reason, std::string_view why,
                       std::string_view kind, const Queue& queue) {
    UnsetQuotaReservation(
        input_.gates.unadmitted_observability ? reason : "Inadmissible",
        absl::StrFormat("%s %s %s", kind, queue.name, why), input_.now,
        status());
    return true;
  }

  bool FollowLocalQueue() {
    return FollowQueue(input_.local_queue, "LocalQueue", kLocalQueueStopped);
  }
  bool FollowClusterQueue() {
    return FollowQueue(input_.cluster_queue, "ClusterQueue",
                       kClusterQueueStopped);
  }

  std::string Name() const {
    const auto& metadata = pass_.workload.metadata();
    return absl::StrCat(metadata.namespace_(), "/", metadata.name());
  }

  absl::Duration WatchReadiness() {
    if (!active() || IsEvicted(status()) ||
        input_.gates.disable_wait_for_pods_ready) {
      return absl::ZeroDuration();
    }
    const auto& settings = input_.wait_for_pods_ready;
    const ReadinessClock clock = ClockOf(status(), settings, input_.now);
    if (clock.cause.empty() || clock.remaining > absl::ZeroDuration()) {
      return clock.remaining;
    }
    const auto& limit = settings->backoff_limit_count;
    if (limit.has_value() && status().requeue_state().count() + 1LL > *limit) {
      SetCondition(kDeactivationTarget, true, kRequeuingLimitExceeded,
                   "exceeding the maximum number of re-queuing retries",
                   input_.now, conditions());
      pass_.action = kDeactivateAction;
      return absl::ZeroDuration();
    }
    CountRequeue(settings->backoff, input_.now, status());
    EvictFor(kPodsReadyTimeout, clock.cause,
             absl::StrCat("Exceeded the PodsReady timeout ", Name()));
    pass_.action = kEvictWithBackoffAction;
    return absl::ZeroDuration();
  }

  absl::Duration WatchExecutionTime() {
    ExecutionTime result = CheckExecutionTime(pass_.workload, input_.now);
    if (!result.event.has_value()) return result.remaining;
    status() = std::move(result.status);
    pass_.events.push_back(*std::move(result.event));
    pass_.action = kDeactivateAction;
    return absl::ZeroDuration();
  }

  const PassInput& input_;
  Pass pass_;
};

bool Same(const Workload& a, const Workload& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

}  // namespace

Pass Reconcile(const PassInput& input) { return WorkloadPass(input).Run(); }

Settled Settle(PassInput input, bool single_pod, int limit) {
  Settled settled;
  settled.workload = input.workload;
  settled.now = input.now;
  for (int i = 0; i < limit; ++i) {
    Pass pass = Reconcile({settled.workload, input.wait_for_pods_ready,
                           input.local_queue, input.cluster_queue, input.gates,
                           settled.now});
    for (Event& event : pass.events) settled.events.push_back(std::move(event));
    const auto before = RequeueAt(settled.workload.status());
    const auto after = RequeueAt(pass.workload.status());
    settled.requeue_at_set |= after.has_value() && after != before;
    if (pass.report.has_value()) settled.reports.push_back(*pass.report);
    const bool released = ReleaseQuota(single_pod, input.gates, settled.now,
                                       *pass.workload.mutable_status());
    const bool unchanged = !released && Same(pass.workload, settled.workload);
    settled.workload = std::move(pass.workload);
    const bool backs_off = after.has_value() && *after > settled.now;
    if (unchanged && !backs_off) break;
    if (unchanged) settled.now = *after;
  }
  return settled;
}

bool IsQueued(const Workload& workload, absl::Time now) {
  const WorkloadStatus& status = workload.status();
  return IsActive(workload) && !IsFinished(status) &&
         !HasQuotaReservation(status) && !IsOnHold(status) &&
         BackoffExpired(status, now);
}

}  // namespace mulligan::kueue
