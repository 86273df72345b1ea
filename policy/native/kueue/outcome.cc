// Kueue's answer for a Workload: whether it keeps its admission, and whether
// and when it is requeued.
#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/native/answer.h"
#include "policy/native/kueue/report.h"
#include "policy/native/kueue/settings.h"
#include "policy/native/kueue/workload.h"

namespace mulligan {
namespace kueue {
namespace {

// What happens to an evicted workload.
enum class Return {
  // Requeued at once or after requeueAt.
  kRequeued,
  kWhenQueueRuns,
  // Once it is reactivated: after a user's own stop, which is no failure, or
  // after a deactivation.
  kWhenActive,
  kWhenActivated,
  kNeverActivated,
  kNeverOfPod,
  // An eviction without a reason, and a reason of a newer Kueue.
  kUnexplained,
  kUnknown,
};

constexpr char kAwaitsActive[] =
    "the workload is queued again when spec.active is true; the job object "
    "itself never ends";

// In enum order of Return.
struct ReturnRow {
  v1::Decision::Action action;
  const char* warning;
};
constexpr std::array<ReturnRow, 8> kReturns = {{
    {v1::Decision::RETRY, nullptr},
    {v1::Decision::WAIT,
     "the workload is queued again when the queue is started"},
    {v1::Decision::IGNORE, kAwaitsActive},
    {v1::Decision::FAIL, kAwaitsActive},
    {v1::Decision::FAIL,
     "the workload stays out of the queue even when it is made active again "
     "(kueue#14870)"},
    {v1::Decision::FAIL,
     "the workload belongs to a single pod, which cannot come back: it is not "
     "queued again"},
    {v1::Decision::WAIT, nullptr},
    {v1::Decision::WAIT, nullptr},
}};

constexpr std::array<std::pair<std::string_view, Return>, 10> kReasons = {{
    {kPreempted, Return::kRequeued},
    {kNodeFailures, Return::kRequeued},
    {kPodsReadyTimeout, Return::kRequeued},
    {kAdmissionCheck, Return::kRequeued},
    {"ClusterQueueStopped", Return::kWhenQueueRuns},
    {"LocalQueueStopped", Return::kWhenQueueRuns},
    {kDeactivated, Return::kWhenActive},
    {"FlavorMigration", Return::kUnexplained},
    // Reasons of earlier Kueue releases.
    {"VariantEvicted", Return::kUnexplained},
    {"ConcurrentAdmission", Return::kUnexplained},
}};

// The input of the steps.
struct Seen {
  const v1::FailureReport& report;
  const Settings& settings;
  const Observed& observed;
  // Before and after the controller's passes.
  const Workload& reported;
  const Workload& settled;

  const Conditions& conditions() const { return settled.status().conditions(); }
  bool was_evicted() const {
    return IsTrue(reported.status().conditions(), kEvicted);
  }
};

Return ReturnAfter(std::string_view reason, bool deactivated,
                   const Seen& seen) {
  const Gates& gates = seen.settings.gates;
  if (deactivated && !IsDeactivation(reason)) return Return::kWhenActivated;
  if ((reason == kPreempted || reason == kNodeFailures) &&
      gates.skip_pod_owned_workloads &&
      IsOwnedBySinglePod(seen.report.kueue_workload())) {
    return Return::kNeverOfPod;
  }
  const auto* const row =
      FindIn(kReasons, [&](const auto& each) { return each.first == reason; });
  if (row != nullptr) return row->second;
  if (IsDeactivation(reason)) {
    return gates.reactivates_own_deactivations ? Return::kWhenActivated
                                               : Return::kNeverActivated;
  }
  return reason.starts_with("InactiveWorkload") ? Return::kUnexplained
                                                : Return::kUnknown;
}

Counters CountersOf(const WorkloadStatus& status) {
  Counters counters;
  if (status.requeue_state().has_count()) {
    counters["requeueState.count"] = status.requeue_state().count();
  }
  const auto& evictions = status.scheduling_stats().evictions();
  for (int i = 0; i < evictions.size(); ++i) {
    counters[absl::StrFormat("schedulingStats.evictions[%d].count", i)] =
        evictions[i].count();
  }
  const auto& checks = status.admission_checks();
  for (int i = 0; i < checks.size(); ++i) {
    if (!checks[i].has_retry_count()) continue;
    counters[absl::StrFormat("admissionChecks[%d].retryCount", i)] =
        checks[i].retry_count();
  }
  if (status.has_accumulated_past_execution_time_seconds()) {
    counters["accumulatedPastExecutionTimeSeconds"] =
        status.accumulated_past_execution_time_seconds();
  }
  return counters;
}

// Adds the counters of the workload as the answer leaves it.
OperatorAnswer Counted(OperatorAnswer answer, const Workload& workload) {
  answer.counters = CountersOf(workload.status());
  return answer;
}

std::optional<OperatorAnswer> Ended(const Conditions& conditions) {
  if (!IsTrue(conditions, kFinished)) return std::nullopt;
  OperatorAnswer answer = AnswerBy(conditions, kFinished, v1::Decision::IGNORE);
  if (answer.reason == "Failed" || answer.reason == "FailedToStart") {
    answer.action = v1::Decision::FAIL;
  }
  return answer;
}

// Kueue does not retry failed work: the workload ends with its job.
std::optional<OperatorAnswer> JobEnded(const v1::FailureReport& report) {
  const auto end = ReportedEnd(report);
  if (!end.has_value()) return std::nullopt;
  return AnswerAs(kFinished,
                  end->success ? v1::Decision::IGNORE : v1::Decision::FAIL,
                  {.reason = end->success ? "Succeeded" : "Failed",
                   .message = end->message});
}

// Returns whether failed nodes affect the workload.
bool IsPlaced(const Workload& workload) {
  const Conditions& conditions = workload.status().conditions();
  return IsActive(workload) && IsTrue(conditions, kAdmitted) &&
         !IsTrue(conditions, kEvicted);
}

// For a workload whose only change is a node to replace.
OperatorAnswer NodeReplaced(const WorkloadStatus& status, const Gates& gates) {
  OperatorAnswer answer = Retries(
      "ReplaceNode",
      {.message = absl::StrJoin(
           status.unhealthy_nodes(), ", ",
           [](std::string* out, const auto& node) { *out += node.name(); }),
       .scope = v1::Decision::POD});
  if (gates.fail_fast_without_replacement) {
    answer.warnings = {
        "when no node can take over, Kueue evicts the workload for "
        "NodeFailures"};
  }
  return answer;
}

// Returns whether the queue that stopped it is known to run again.
bool IsRestarted(std::string_view reason, const Seen& seen) {
  return std::ranges::any_of(seen.observed.queues,
                             [&](const Queue& queue) {
                               return queue.Reason() == reason &&
                                      queue.stop_policy == "None";
                             }) ||
         (IsTrue(seen.conditions(), kRequeued) &&
          !IsTrue(seen.conditions(), kQuotaReserved));
}

// Returns the counted readiness timeouts; empty for any other reason.
std::optional<std::int64_t> TimeoutsUsed(std::string_view reason,
                                         const Seen& seen) {
  const auto& limit = seen.settings.wait_for_pods_ready.backoff_limit_count;
  const std::int64_t before = seen.reported.status().requeue_state().count();
  if (reason == kPodsReadyTimeout) {
    return before + (seen.was_evicted() ? 0 : 1);
  }
  if (!reason.ends_with(kRequeuingLimitExceeded)) return std::nullopt;
  return std::max(before, limit.value_or(0)) + 1;
}

OperatorAnswer Evicted(const Seen& seen) {
  const bool deactivated = IsActive(seen.reported) && !IsActive(seen.settled);
  const std::string& reason =
      FindCondition(seen.conditions(), kEvicted)->reason();
  Return after = ReturnAfter(reason, deactivated, seen);
  if (after == Return::kWhenQueueRuns && IsRestarted(reason, seen)) {
    after = Return::kRequeued;
  }
  const ReturnRow& row = kReturns.at(static_cast<std::size_t>(after));
  OperatorAnswer answer = AnswerBy(seen.conditions(), kEvicted, row.action);
  if (!seen.was_evicted()) {
    answer.verdict = deactivated ? "Deactivate"
                     : reason == kPodsReadyTimeout
                         ? "EvictAndRequeueWithBackoff"
                         : "Evict";
  }
  if (row.warning != nullptr) answer.warnings.emplace_back(row.warning);
  if (after == Return::kUnknown) {
    answer.warnings.push_back(absl::StrFormat(
        "Kueue 0.19 has no eviction for '%s'; taken as one that ends the place "
        "in the queue until Kueue says more",
        reason));
  }
  if (after == Return::kRequeued) {
    answer.queue = v1::Decision::REQUEUE;
    const absl::Time now = seen.observed.now;
    const absl::Time at = RequeueAt(seen.settled.status()).value_or(now);
    if (at > now) answer.delay = at - now;
  }
  const auto used = TimeoutsUsed(reason, seen);
  if (!used.has_value()) return answer;
  const auto& limit = seen.settings.wait_for_pods_ready.backoff_limit_count;
  if (limit.has_value()) {
    answer.charge = {"backoffLimitCount", *used, *limit};
  } else {
    answer.warnings.emplace_back(
        "waitForPodsReady.requeuingStrategy.backoffLimitCount is not set: "
        "readiness timeouts are requeued without limit");
  }
  return answer;
}

std::vector<std::string> WarningsOfClocks(const Seen& seen) {
  std::vector<std::string> warnings;
  const absl::Duration next = NextTimeout(seen.observed, seen.settled);
  if (next > absl::ZeroDuration()) {
    warnings.push_back(absl::StrFormat(
        "the next readiness or execution timeout is %s away",
        absl::FormatDuration(absl::Ceil(next, absl::Seconds(1)))));
  }
  const auto& recovery = seen.settings.wait_for_pods_ready.recovery_timeout;
  if (IsTrue(seen.conditions(), kPodsReady) && IsKnownUnready(seen.report) &&
      recovery.has_value() &&
      !seen.settings.gates.disable_wait_for_pods_ready) {
    // kueue#14811: a restart by the job's own controller looks the same.
    warnings.push_back(
        absl::StrFormat("the job is not ready any more: Kueue evicts it unless "
                        "it recovers within %s",
                        absl::FormatDuration(*recovery)));
  }
  return warnings;
}

OperatorAnswer AnswerAfterPasses(const Seen& seen) {
  if (IsTrue(seen.conditions(), kEvicted)) return Evicted(seen);
  if (IsTrue(seen.conditions(), kAdmitted)) {
    OperatorAnswer answer = Idle(
        "Kueue does nothing about failed pods of an admitted workload, it only "
        "watches readiness and execution time");
    answer.warnings = Appended(answer.warnings, WarningsOfClocks(seen));
    return answer;
  }
  OperatorAnswer answer =
      AnswerBy(seen.conditions(), kQuotaReserved, v1::Decision::IGNORE);
  answer.verdict = "Pending";
  return answer;
}

OperatorAnswer AnswerTo(const NativeInput& input, const Settings& settings,
                        const Workload& reported) {
  const v1::FailureReport& report = input.report;
  const absl::Time now = ToTime(input.now);
  if (const auto end = Ended(reported.status().conditions())) {
    return Counted(*end, reported);
  }
  if (const auto end = JobEnded(report)) return Counted(*end, reported);
  Workload workload = reported;
  if (IsPlaced(workload)) {
    FollowNodes({report.nodes(), report.pods(), settings.gates, now}, workload);
  }
  const WorkloadStatus& status = workload.status();
  if (IsPlaced(workload) && !status.unhealthy_nodes().empty()) {
    return Counted(NodeReplaced(status, settings.gates), workload);
  }
  const Observed observed = {
      settings.wait_for_pods_ready,
      {{{"LocalQueue", reported.spec().queue_name(),
         settings.local_queue_stop_policy},
        {"ClusterQueue", reported.status().admission().cluster_queue(),
         settings.cluster_queue_stop_policy}}},
      settings.gates,
      now};
  Settle(observed, workload);
  return Counted(
      AnswerAfterPasses({report, settings, observed, reported, workload}),
      workload);
}

}  // namespace
}  // namespace kueue

std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input) {
  if (!input.report.has_kueue_workload()) return std::nullopt;
  const auto setup = kueue::SettingsFor(input.semantics);
  std::vector<std::string> warnings = setup.warnings;
  const kueue::Workload workload =
      kueue::CompleteWorkload(input.report.kueue_workload(), warnings);
  return OutcomeBy("Workload", setup.semantics, v1::Decision::WORKLOAD,
                   warnings, kueue::AnswerTo(input, setup.settings, workload));
}

}  // namespace mulligan
