#include <algorithm>
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
#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/gates.h"
#include "policy/operators/kueue/nodes.h"
#include "policy/operators/kueue/pods_ready.h"
#include "policy/operators/kueue/reconcile.h"
#include "policy/operators/kueue/release.h"
#include "policy/operators/kueue/report.h"
#include "policy/operators/kueue/requeue.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/kueue/types.h"
#include "policy/operators/kueue/validation.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace kueue {
namespace {

std::optional<Queue> StoppedQueue(const std::string& name,
                                  const std::string& stop_policy) {
  if (stop_policy.empty()) return std::nullopt;
  Queue queue;
  queue.name = name;
  queue.stop_policy = stop_policy;
  return queue;
}

class WorkloadVerdict {
 public:
  WorkloadVerdict(const NativeInput& input, GateSetup gates,
                  SettingsSetup settings)
      : input_(input),
        now_(ToTime(input.now)),
        gates_(gates.gates),
        settings_(std::move(settings)),
        single_pod_(IsOwnedBySinglePod(input.report.kueue_workload())) {
    outcome_.warnings = std::move(gates.warnings);
    for (std::string& warning : settings_.warnings) {
      outcome_.warnings.push_back(std::move(warning));
    }
    outcome_.verdict.set_operator_("Workload");
    outcome_.verdict.set_semantics(std::move(gates.semantics));
    outcome_.scope = v1::Decision::WORKLOAD;
    workload_ =
        CompleteWorkload(input.report.kueue_workload(), outcome_.warnings);
  }

  NativeOutcome Run() && {
    Warn();
    if (!Finished() && !JobEnded() && !NodesFailed()) FollowPasses();
    Count();
    return std::move(outcome_);
  }

 private:
  const WorkloadStatus& status() const { return workload_.status(); }

  void Answer(std::string_view word, v1::Decision::Action action,
              std::string_view reason, std::string_view message) {
    outcome_.verdict.set_verdict(std::string(word));
    outcome_.verdict.set_reason(std::string(reason));
    outcome_.verdict.set_message(std::string(message));
    outcome_.action = action;
  }

  void Warn() {
    WorkloadIssues issues = ValidateWorkload(workload_);
    for (std::string& warning : issues.warnings) {
      outcome_.warnings.push_back(std::move(warning));
    }
    for (const FieldError& error : issues.errors) {
      outcome_.refusals.push_back(absl::StrFormat(
          "report.kueueWorkload.%s; the API server refuses such a Workload",
          FormatFieldError(error)));
    }
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
    const auto end = ReportedEnd(input_.report);
    if (!end.has_value()) return false;
    Answer(kFinished, end->success ? v1::Decision::IGNORE : v1::Decision::FAIL,
           end->success ? "Succeeded" : "Failed", end->message);
    return true;
  }

  // True: a node to replace is all that happens.
  bool NodesFailed() {
    if (!IsActive(workload_) || !IsAdmitted(status()) || IsEvicted(status())) {
      return false;
    }
    NodeView view;
    view.gates = gates_;
    view.now = now_;
    for (const Pod& pod : input_.report.pods()) view.pods.push_back(&pod);
    const std::vector<std::string> assigned = AssignedNodes(status());
    for (const Node& node : input_.report.nodes()) {
      const std::string& name = node.metadata().name();
      if (std::find(assigned.begin(), assigned.end(), name) == assigned.end()) {
        continue;
      }
      view.name = name;
      view.node = &node;
      workload_ = ReconcileNode(view, workload_).workload;
    }
    if (IsEvicted(status())) {
      newly_evicted_ = true;
      return false;
    }
    if (status().unhealthy_nodes().empty()) return false;
    std::vector<std::string> names;
    for (const auto& node : status().unhealthy_nodes()) {
      names.push_back(node.name());
    }
    Answer("ReplaceNode", v1::Decision::RETRY, "", absl::StrJoin(names, ", "));
    outcome_.scope = v1::Decision::POD;
    outcome_.queue = v1::Decision::IN_PLACE;
    if (gates_.fail_fast_without_replacement) {
      outcome_.warnings.emplace_back(
          "when no node can take over, Kueue evicts the workload for "
          "NodeFailures");
    }
    return true;
  }

  void FollowPasses() {
    const bool was_evicted = IsEvicted(status()) && !newly_evicted_;
    const std::int64_t requeues = status().requeue_state().count();
    const Pass first = Reconcile(PassOver(workload_));
    Settled settled = Settle(PassOver(workload_), single_pod_);
    workload_ = std::move(settled.workload);
    const Condition* const evicted =
        FindCondition(status().conditions(), kEvicted);
    if (evicted == nullptr || evicted->status() != "True") {
      return AnswerWithoutEviction(first);
    }
    const std::string_view word =
        was_evicted                                            ? kEvicted
        : !newly_evicted_ && first.action == kDeactivateAction ? first.action
        : evicted->reason() == kPodsReadyTimeout ? kEvictWithBackoffAction
                                                 : kEvictAction;
    AnswerEviction(std::string(word), *evicted, settled.now - now_);
    Charge(evicted->reason(), requeues);
  }

  PassInput PassOver(const Workload& workload) const {
    return {workload,
            settings_.wait_for_pods_ready,
            StoppedQueue(workload.spec().queue_name(),
                         settings_.local_queue_stop_policy),
            StoppedQueue(workload.status().admission().cluster_queue(),
                         settings_.cluster_queue_stop_policy),
            gates_,
            now_};
  }

  void AnswerEviction(const std::string& word, const Condition& evicted,
                      absl::Duration delay) {
    const std::string& reason = evicted.reason();
    const std::string_view later =
        LaterRequeuedReason(reason, single_pod_, gates_);
    const bool comes_back = IsRequeuedAtOnce(reason, single_pod_, gates_) ||
                            later == "BackoffFinished" ||
                            IsQueueRunningAgain(later);
    Answer(word, ActionAfter(reason, later, comes_back), reason,
           evicted.message());
    if (!comes_back) return ExplainEnd(reason, later);
    outcome_.queue = v1::Decision::REQUEUE;
    if (delay > absl::ZeroDuration()) {
      SetDuration(delay, *outcome_.verdict.mutable_delay());
    }
  }

  // Restarted while we looked: the settings say that the queue runs.
  bool IsQueueRunningAgain(std::string_view later) const {
    return !later.empty() && later.ends_with("Restarted") &&
           IsTrue(status().conditions(), kRequeued);
  }

  static v1::Decision::Action ActionAfter(std::string_view reason,
                                          std::string_view later,
                                          bool comes_back) {
    if (comes_back) return v1::Decision::RETRY;
    // A user's own stop is no failure.
    if (reason == kDeactivated) return v1::Decision::IGNORE;
    if (later.ends_with("Restarted") || reason == kFlavorMigration) {
      return v1::Decision::WAIT;
    }
    const bool gone = reason == kPreempted || reason == kNodeFailures;
    return IsDeactivation(reason) || gone ? v1::Decision::FAIL
                                          : v1::Decision::WAIT;
  }

  void ExplainEnd(std::string_view reason, std::string_view later) {
    if (later.ends_with("Restarted")) {
      outcome_.warnings.emplace_back(
          "the workload is queued again when the queue is started");
    } else if (IsDeactivation(reason)) {
      outcome_.warnings.emplace_back(
          later.empty() ? "the workload stays out of the queue even when it is "
                          "made active again (kueue#14870)"
                        : "the workload is queued again when spec.active is "
                          "true; the job object itself never ends");
    } else if (single_pod_) {
      outcome_.warnings.emplace_back(
          "the workload belongs to a single pod, which cannot come back: it is "
          "not queued again");
    }
  }

  // Only readiness timeouts are counted.
  void Charge(std::string_view reason, std::int64_t requeues) {
    const auto& limit = settings_.wait_for_pods_ready.backoff_limit_count;
    const bool timed_out = reason == kPodsReadyTimeout;
    if (!timed_out && !reason.ends_with(kRequeuingLimitExceeded)) return;
    if (!limit.has_value()) {
      outcome_.warnings.emplace_back(
          "waitForPodsReady.requeuingStrategy.backoffLimitCount is not set: "
          "readiness timeouts are requeued without limit");
      return;
    }
    outcome_.charged_to = "backoffLimitCount";
    outcome_.limit = *limit;
    outcome_.used = timed_out ? status().requeue_state().count()
                              : std::max(requeues, *limit) + 1;
  }

  void AnswerWithoutEviction(const Pass& pass) {
    if (IsAdmitted(status())) {
      Answer(kNoAction, v1::Decision::IGNORE, "", "");
      outcome_.warnings.emplace_back(
          "Kueue does nothing about failed pods of an admitted workload, it "
          "only watches readiness and execution time");
      WarnOfClock(pass.requeue_after);
      return;
    }
    const Condition* const quota =
        FindCondition(status().conditions(), kQuotaReserved);
    Answer("Pending", v1::Decision::IGNORE,
           quota == nullptr ? "" : quota->reason(),
           quota == nullptr ? "" : quota->message());
  }

  void WarnOfClock(absl::Duration requeue_after) {
    const auto& settings = settings_.wait_for_pods_ready;
    if (requeue_after > absl::ZeroDuration()) {
      outcome_.warnings.push_back(absl::StrFormat(
          "the next readiness or execution timeout is %s away",
          absl::FormatDuration(absl::Ceil(requeue_after, absl::Seconds(1)))));
    }
    const bool ready = IsTrue(status().conditions(), kPodsReady);
    if (!ready || ReportedReadiness(input_.report) != false ||
        !settings.recovery_timeout.has_value() ||
        gates_.disable_wait_for_pods_ready) {
      return;
    }
    // kueue#14811: a restart by the job's own controller looks like this too.
    outcome_.warnings.push_back(absl::StrFormat(
        "the job is not ready any more: Kueue evicts it unless it recovers "
        "within %s",
        absl::FormatDuration(*settings.recovery_timeout)));
  }

  const NativeInput& input_;
  const absl::Time now_;
  const Gates gates_;
  SettingsSetup settings_;
  const bool single_pod_;
  Workload workload_;
  bool newly_evicted_ = false;
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
