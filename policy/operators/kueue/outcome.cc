// What Kueue does about a Workload: takes its admission back or leaves it, and
// whether and when it is queued again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/kueue/checks.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/nodes.h"
#include "policy/operators/kueue/reconcile.h"
#include "policy/operators/kueue/report.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/types.h"
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
constexpr std::array<ReturnRow, 8> kReturns = {{
    {kPreempted, Return::kRequeued},
    {kNodeFailures, Return::kRequeued},
    {kPodsReadyTimeout, Return::kRequeued},
    {kAdmissionCheck, Return::kRequeued},
    {kClusterQueueStopped, Return::kWhenQueueRuns},
    {kLocalQueueStopped, Return::kWhenQueueRuns},
    {kDeactivated, Return::kWhenActive},
    {kFlavorMigration, Return::kUnknown},
}};

bool CannotComeBack(std::string_view reason, bool single_pod,
                    const Gates& gates) {
  return (reason == kPreempted || reason == kNodeFailures) && single_pod &&
         gates.skip_pod_owned_workloads;
}

Return ReturnAfter(std::string_view reason, bool single_pod,
                   const Gates& gates) {
  if (CannotComeBack(reason, single_pod, gates)) return Return::kNever;
  for (const ReturnRow& row : kReturns) {
    if (row.reason == reason) return row.after;
  }
  if (!IsDeactivation(reason)) return Return::kUnknown;
  return gates.reactivates_own_deactivations ? Return::kWhenActive
                                             : Return::kNever;
}

// Reasons that Kueue has, or once had, beside those of kReturns.
constexpr std::array<std::string_view, 2> kOtherReasons = {
    "VariantEvicted", "ConcurrentAdmission"};

bool IsKnownReason(std::string_view reason) {
  const auto is = [&](std::string_view known) { return known == reason; };
  return IsDeactivation(reason) || reason.starts_with("InactiveWorkload") ||
         std::any_of(kOtherReasons.begin(), kOtherReasons.end(), is) ||
         std::any_of(kReturns.begin(), kReturns.end(),
                     [&](const ReturnRow& row) { return is(row.reason); });
}

class WorkloadVerdict {
 public:
  WorkloadVerdict(const NativeInput& input, GateSetup gates,
                  SettingsSetup settings)
      : report_(input.report),
        gates_(gates.gates),
        settings_(std::move(settings)),
        single_pod_(IsOwnedBySinglePod(report_.kueue_workload())) {
    outcome_.warnings = std::move(gates.warnings);
    for (std::string& warning : settings_.warnings) Add(std::move(warning));
    outcome_.verdict.set_operator_("Workload");
    outcome_.verdict.set_semantics(std::move(gates.semantics));
    outcome_.scope = v1::Decision::WORKLOAD;
    workload_ = CompleteWorkload(report_.kueue_workload(), outcome_.warnings);
    now_ = ToTime(input.now);
  }

  NativeOutcome Run() && {
    const Workload reported = workload_;
    if (!Finished() && !JobEnded() && !NodeReplaced()) Follow(reported);
    Count();
    return std::move(outcome_);
  }

 private:
  const WorkloadStatus& status() const { return workload_.status(); }

  void Add(std::string warning) {
    outcome_.warnings.push_back(std::move(warning));
  }

  void Answer(std::string_view word, v1::Decision::Action action,
              std::string_view reason, std::string_view message) {
    outcome_.verdict.set_verdict(std::string(word));
    outcome_.verdict.set_reason(std::string(reason));
    outcome_.verdict.set_message(std::string(message));
    outcome_.action = action;
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
    if (finished == nullptr || finished->status() != "True") return false;
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
    if (!IsActive(workload_) || !IsAdmitted(status()) || IsEvicted(status())) {
      return false;
    }
    FollowNodes({report_.nodes(), report_.pods(), gates_, now_}, workload_);
    if (IsEvicted(status()) || status().unhealthy_nodes().empty()) return false;
    std::vector<std::string> names;
    for (const auto& node : status().unhealthy_nodes()) {
      names.push_back(node.name());
    }
    Answer("ReplaceNode", v1::Decision::RETRY, "", absl::StrJoin(names, ", "));
    outcome_.scope = v1::Decision::POD;
    outcome_.queue = v1::Decision::IN_PLACE;
    if (gates_.fail_fast_without_replacement) {
      Add("when no node can take over, Kueue evicts the workload for "
          "NodeFailures");
    }
    return true;
  }

  void Follow(const Workload& reported) {
    const World world = {
        settings_.wait_for_pods_ready,
        {reported.spec().queue_name(), settings_.local_queue_stop_policy},
        {reported.status().admission().cluster_queue(),
         settings_.cluster_queue_stop_policy},
        gates_,
        now_};
    Settle(world, workload_);
    const Condition* const evicted =
        FindCondition(status().conditions(), kEvicted);
    if (evicted == nullptr || evicted->status() != "True") {
      return AnswerWithoutEviction(world);
    }
    const bool deactivated = IsActive(reported) && !IsActive(workload_);
    const bool was_evicted = IsEvicted(reported.status());
    const Return after =
        deactivated && !IsDeactivation(evicted->reason())
            ? Return::kWhenActive
            : ReturnAfter(evicted->reason(), single_pod_, gates_);
    AnswerEviction(
        was_evicted                              ? "Evicted"
        : deactivated                            ? "Deactivate"
        : evicted->reason() == kPodsReadyTimeout ? "EvictAndRequeueWithBackoff"
                                                 : "Evict",
        *evicted, IsRestarted(world, after) ? Return::kRequeued : after);
    Charge(evicted->reason(), reported.status().requeue_state().count(),
           was_evicted);
  }

  // The queue that stopped it runs again.
  bool IsRestarted(const World& world, Return after) const {
    if (after != Return::kWhenQueueRuns) return false;
    const bool local =
        IsTrue(status().conditions(), kEvicted) &&
        FindCondition(status().conditions(), kEvicted)->reason() ==
            kLocalQueueStopped;
    return Runs(local ? world.local_queue : world.cluster_queue) ||
           (IsTrue(status().conditions(), kRequeued) &&
            !HasQuotaReservation(status()));
  }

  void AnswerEviction(std::string_view word, const Condition& evicted,
                      Return after) {
    const std::string& reason = evicted.reason();
    Answer(word, ActionAfter(reason, after), reason, evicted.message());
    if (after != Return::kRequeued) return ExplainEnd(reason, after);
    outcome_.queue = v1::Decision::REQUEUE;
    const absl::Duration delay = RequeueAt(status()).value_or(now_) - now_;
    if (delay > absl::ZeroDuration()) {
      SetDuration(delay, *outcome_.verdict.mutable_delay());
    }
  }

  static v1::Decision::Action ActionAfter(std::string_view reason,
                                          Return after) {
    switch (after) {
      case Return::kRequeued:
        return v1::Decision::RETRY;
      case Return::kWhenQueueRuns:
      case Return::kUnknown:
        return v1::Decision::WAIT;
      case Return::kWhenActive:
        // A user's own stop is no failure.
        return reason == kDeactivated ? v1::Decision::IGNORE
                                      : v1::Decision::FAIL;
      case Return::kNever:
        break;
    }
    return v1::Decision::FAIL;
  }

  void ExplainEnd(const std::string& reason, Return after) {
    switch (after) {
      case Return::kWhenQueueRuns:
        return Add("the workload is queued again when the queue is started");
      case Return::kWhenActive:
        return Add(
            "the workload is queued again when spec.active is true; the "
            "job object itself never ends");
      case Return::kNever:
        return Add(IsDeactivation(reason)
                       ? "the workload stays out of the queue even when it is "
                         "made active again (kueue#14870)"
                       : "the workload belongs to a single pod, which cannot "
                         "come back: it is not queued again");
      case Return::kUnknown:
        if (IsKnownReason(reason)) return;
        return Add(absl::StrFormat(
            "Kueue 0.19 has no eviction for '%s'; taken as one that ends the "
            "place in the queue until Kueue says more",
            reason));
      case Return::kRequeued:
        return;
    }
  }

  // Only readiness timeouts are counted. `requeues`: before this one.
  void Charge(std::string_view reason, std::int64_t requeues,
              bool was_evicted) {
    const auto& limit = settings_.wait_for_pods_ready.backoff_limit_count;
    const bool timed_out = reason == kPodsReadyTimeout;
    if (!timed_out && !reason.ends_with(kRequeuingLimitExceeded)) return;
    if (!limit.has_value()) {
      return Add(
          "waitForPodsReady.requeuingStrategy.backoffLimitCount is not "
          "set: readiness timeouts are requeued without limit");
    }
    outcome_.charged_to = "backoffLimitCount";
    outcome_.limit = *limit;
    outcome_.used = !timed_out    ? std::max(requeues, *limit) + 1
                    : was_evicted ? requeues
                                  : requeues + 1;
  }

  void AnswerWithoutEviction(const World& world) {
    if (IsAdmitted(status())) {
      Answer("None", v1::Decision::IGNORE, "", "");
      Add("Kueue does nothing about failed pods of an admitted workload, it "
          "only watches readiness and execution time");
      return WarnOfClock(NextTimeout(world, workload_));
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
      Add(absl::StrFormat(
          "the next readiness or execution timeout is %s away",
          absl::FormatDuration(absl::Ceil(next, absl::Seconds(1)))));
    }
    const bool ready = IsTrue(status().conditions(), kPodsReady);
    if (!ready || ReportedReadiness(report_) != false ||
        !settings.recovery_timeout.has_value() ||
        gates_.disable_wait_for_pods_ready) {
      return;
    }
    // kueue#14811: a restart by the job's own controller looks like this too.
    Add(absl::StrFormat(
        "the job is not ready any more: Kueue evicts it unless it recovers "
        "within %s",
        absl::FormatDuration(*settings.recovery_timeout)));
  }

  const v1::FailureReport& report_;
  const Gates gates_;
  SettingsSetup settings_;
  const bool single_pod_;
  absl::Time now_;
  Workload workload_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace kueue

std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input) {
  if (!input.report.has_kueue_workload()) return std::nullopt;
  return kueue::WorkloadVerdict(input, kueue::GatesFor(input.semantics),
                                kueue::SettingsFor(input.semantics))
      .Run();
}

}  // namespace mulligan
