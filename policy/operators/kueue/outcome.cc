// What Kueue does about a Workload: takes its admission back or leaves it, and
// whether and when it is queued again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/report.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/workload.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace kueue {
namespace {

// What becomes of an evicted workload.
enum class Return {
  // Queued again at once, or when requeueAt is over.
  kRequeued,
  kWhenQueueRuns,
  // When somebody makes it active again.
  kWhenActive,
  kNever,
  // A reason of a newer Kueue.
  kUnknown,
};

struct ReturnRow {
  std::string_view reason;
  Return after;
};
constexpr std::array<ReturnRow, 10> kReturns = {{
    {kPreempted, Return::kRequeued},
    {kNodeFailures, Return::kRequeued},
    {kPodsReadyTimeout, Return::kRequeued},
    {kAdmissionCheck, Return::kRequeued},
    {"ClusterQueueStopped", Return::kWhenQueueRuns},
    {"LocalQueueStopped", Return::kWhenQueueRuns},
    {kDeactivated, Return::kWhenActive},
    {"FlavorMigration", Return::kUnknown},
    // That Kueue once had.
    {"VariantEvicted", Return::kUnknown},
    {"ConcurrentAdmission", Return::kUnknown},
}};

const ReturnRow* FindReturn(std::string_view reason) {
  return FindIn(kReturns,
                [&](const ReturnRow& row) { return row.reason == reason; });
}

Return ReturnAfter(std::string_view reason, bool single_pod,
                   const Gates& gates) {
  if ((reason == kPreempted || reason == kNodeFailures) && single_pod &&
      gates.skip_pod_owned_workloads) {
    return Return::kNever;
  }
  if (const ReturnRow* const row = FindReturn(reason)) return row->after;
  if (!IsDeactivation(reason)) return Return::kUnknown;
  return gates.reactivates_own_deactivations ? Return::kWhenActive
                                             : Return::kNever;
}

class WorkloadVerdict {
 public:
  WorkloadVerdict(const NativeInput& input, const Setup<Settings>& setup)
      : report_(input.report),
        now_(ToTime(input.now)),
        settings_(setup.settings),
        outcome_("Workload", v1::Decision::WORKLOAD, setup),
        workload_(
            CompleteWorkload(report_.kueue_workload(), outcome_.warnings)) {}

  NativeOutcome Run() && {
    const Workload reported = workload_;
    if (!Finished() && !JobEnded() && !NodeReplaced()) Follow(reported);
    Count();
    return std::move(outcome_);
  }

 private:
  const WorkloadStatus& status() const { return workload_.status(); }

  void Answer(std::string_view word, v1::Decision::Action action,
              std::string_view reason, std::string_view message) {
    outcome_.Answer(word, action);
    outcome_.Explain(reason, message);
  }

  // Of the workload as it is after the verdict.
  void Count() {
    auto& counters = *outcome_.verdict.mutable_counters();
    if (status().requeue_state().has_count()) {
      counters["requeueState.count"] = status().requeue_state().count();
    }
    const auto& evictions = status().scheduling_stats().evictions();
    for (int i = 0; i < evictions.size(); ++i) {
      counters[absl::StrFormat("schedulingStats.evictions[%d].count", i)] =
          evictions.Get(i).count();
    }
    for (int i = 0; i < status().admission_checks_size(); ++i) {
      const AdmissionCheckState& check = status().admission_checks(i);
      if (!check.has_retry_count()) continue;
      counters[absl::StrFormat("admissionChecks[%d].retryCount", i)] =
          check.retry_count();
    }
    if (status().has_accumulated_past_execution_time_seconds()) {
      counters["accumulatedPastExecutionTimeSeconds"] =
          status().accumulated_past_execution_time_seconds();
    }
  }

  bool Finished() {
    const Condition* const finished =
        FindCondition(status().conditions(), kFinished);
    if (!IsTrue(status().conditions(), kFinished)) return false;
    const bool failed =
        finished->reason() == "Failed" || finished->reason() == "FailedToStart";
    Answer(kFinished, failed ? v1::Decision::FAIL : v1::Decision::IGNORE,
           finished->reason(), finished->message());
    return true;
  }

  // Kueue does not retry failed work: the workload ends with its job.
  bool JobEnded() {
    const auto end = ReportedEnd(report_);
    if (!end.has_value()) return false;
    Answer(kFinished, end->success ? v1::Decision::IGNORE : v1::Decision::FAIL,
           end->success ? "Succeeded" : "Failed", end->message);
    return true;
  }

  // True: a node to replace is all that happens.
  bool NodeReplaced() {
    if (!IsActive(workload_) || !IsTrue(status().conditions(), kAdmitted) ||
        IsTrue(status().conditions(), kEvicted)) {
      return false;
    }
    FollowNodes({report_.nodes(), report_.pods(), settings_.gates, now_},
                workload_);
    if (IsTrue(status().conditions(), kEvicted) ||
        status().unhealthy_nodes().empty()) {
      return false;
    }
    Answer("ReplaceNode", v1::Decision::RETRY, "",
           absl::StrJoin(status().unhealthy_nodes(), ", ",
                         [](std::string* out, const auto& node) {
                           *out += node.name();
                         }));
    outcome_.scope = v1::Decision::POD;
    if (settings_.gates.fail_fast_without_replacement) {
      outcome_.Warn(
          "when no node can take over, Kueue evicts the workload for "
          "NodeFailures");
    }
    return true;
  }

  void Follow(const Workload& reported) {
    const Observed observed = {
        settings_.wait_for_pods_ready,
        {{{"LocalQueue", reported.spec().queue_name(),
           settings_.local_queue_stop_policy},
          {"ClusterQueue", reported.status().admission().cluster_queue(),
           settings_.cluster_queue_stop_policy}}},
        settings_.gates,
        now_};
    Settle(observed, workload_);
    if (!IsTrue(status().conditions(), kEvicted))
      return AnswerWithoutEviction(observed);
    const std::string& reason =
        FindCondition(status().conditions(), kEvicted)->reason();
    const bool deactivated = IsActive(reported) && !IsActive(workload_);
    const bool was_evicted = IsTrue(reported.status().conditions(), kEvicted);
    const std::string_view word = was_evicted   ? "Evicted"
                                  : deactivated ? "Deactivate"
                                  : reason == kPodsReadyTimeout
                                      ? "EvictAndRequeueWithBackoff"
                                      : "Evict";
    const bool single_pod = IsOwnedBySinglePod(report_.kueue_workload());
    AnswerEviction(word,
                   deactivated && !IsDeactivation(reason)
                       ? Return::kWhenActive
                       : ReturnAfter(reason, single_pod, settings_.gates),
                   observed);
    Charge(reason, reported.status().requeue_state().count(), was_evicted);
  }

  // The queue that stopped it is known to run again.
  bool IsRestarted(std::string_view reason, const Observed& observed) const {
    return std::any_of(observed.queues.begin(), observed.queues.end(),
                       [&](const Queue& queue) {
                         return queue.Reason() == reason &&
                                queue.stop_policy == "None";
                       }) ||
           (IsTrue(status().conditions(), kRequeued) &&
            !IsTrue(status().conditions(), kQuotaReserved));
  }

  void AnswerEviction(std::string_view word, Return after,
                      const Observed& observed) {
    const Condition& evicted = *FindCondition(status().conditions(), kEvicted);
    const std::string& reason = evicted.reason();
    const auto answer = [&](v1::Decision::Action action) {
      Answer(word, action, reason, evicted.message());
    };
    if (after == Return::kWhenQueueRuns && IsRestarted(reason, observed)) {
      after = Return::kRequeued;
    }
    switch (after) {
      case Return::kRequeued:
        answer(v1::Decision::RETRY);
        return Requeue();
      case Return::kWhenQueueRuns:
        answer(v1::Decision::WAIT);
        return outcome_.Warn(
            "the workload is queued again when the queue is started");
      case Return::kWhenActive:
        // A user's own stop is no failure.
        answer(reason == kDeactivated ? v1::Decision::IGNORE
                                      : v1::Decision::FAIL);
        return outcome_.Warn(
            "the workload is queued again when spec.active is true; the "
            "job object itself never ends");
      case Return::kNever:
        answer(v1::Decision::FAIL);
        return outcome_.Warn(
            IsDeactivation(reason)
                ? "the workload stays out of the queue even when it is "
                  "made active again (kueue#14870)"
                : "the workload belongs to a single pod, which cannot "
                  "come back: it is not queued again");
      case Return::kUnknown:
        answer(v1::Decision::WAIT);
        if (FindReturn(reason) != nullptr ||
            reason.starts_with("InactiveWorkload")) {
          return;
        }
        return outcome_.Warn(absl::StrFormat(
            "Kueue 0.19 has no eviction for '%s'; taken as one that ends the "
            "place in the queue until Kueue says more",
            reason));
    }
  }

  void Requeue() {
    outcome_.queue = v1::Decision::REQUEUE;
    const absl::Duration delay = RequeueAt(status()).value_or(now_) - now_;
    if (delay > absl::ZeroDuration()) outcome_.Delay(delay);
  }

  // Only readiness timeouts are counted. `requeues`: before this one.
  void Charge(std::string_view reason, std::int64_t requeues,
              bool was_evicted) {
    const auto& limit = settings_.wait_for_pods_ready.backoff_limit_count;
    const bool timed_out = reason == kPodsReadyTimeout;
    if (!timed_out && !reason.ends_with(kRequeuingLimitExceeded)) return;
    if (!limit.has_value()) {
      return outcome_.Warn(
          "waitForPodsReady.requeuingStrategy.backoffLimitCount is not "
          "set: readiness timeouts are requeued without limit");
    }
    outcome_.Charge("backoffLimitCount",
                    !timed_out    ? std::max(requeues, *limit) + 1
                    : was_evicted ? requeues
                                  : requeues + 1,
                    *limit);
  }

  void AnswerWithoutEviction(const Observed& observed) {
    if (IsTrue(status().conditions(), kAdmitted)) {
      Answer("None", v1::Decision::IGNORE, "", "");
      outcome_.Warn(
          "Kueue does nothing about failed pods of an admitted workload, it "
          "only watches readiness and execution time");
      return WarnOfClock(NextTimeout(observed, workload_));
    }
    const Condition* const quota =
        FindCondition(status().conditions(), kQuotaReserved);
    Answer("Pending", v1::Decision::IGNORE,
           quota == nullptr ? "" : quota->reason(),
           quota == nullptr ? "" : quota->message());
  }

  void WarnOfClock(absl::Duration next) {
    const auto& settings = settings_.wait_for_pods_ready;
    if (next > absl::ZeroDuration()) {
      outcome_.Warn(absl::StrFormat(
          "the next readiness or execution timeout is %s away",
          absl::FormatDuration(absl::Ceil(next, absl::Seconds(1)))));
    }
    if (!IsTrue(status().conditions(), kPodsReady) ||
        !IsKnownUnready(report_) || !settings.recovery_timeout.has_value() ||
        settings_.gates.disable_wait_for_pods_ready) {
      return;
    }
    // kueue#14811: a restart by the job's own controller looks like this too.
    outcome_.Warn(absl::StrFormat(
        "the job is not ready any more: Kueue evicts it unless it recovers "
        "within %s",
        absl::FormatDuration(*settings.recovery_timeout)));
  }

  const v1::FailureReport& report_;
  const absl::Time now_;
  const Settings settings_;
  NativeOutcome outcome_;
  Workload workload_;
};

}  // namespace
}  // namespace kueue

std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input) {
  if (!input.report.has_kueue_workload()) return std::nullopt;
  return kueue::WorkloadVerdict(input, kueue::SettingsFor(input.semantics))
      .Run();
}

}  // namespace mulligan
