#include "policy/demystify/readers/queue_reader.h"

#include <algorithm>
#include <span>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

namespace kueue = kubernetes::kueue::v1beta2;

void AddState(Candidates& facts, std::string_view state, const Place& place,
              std::string_view value, Seconds at = kUnknownTime) {
  if (const Signature* row = FindOperatorState("Workload", state)) {
    AddFact(facts, "operator", *row, place, value, at);
  }
}

bool IsState(std::string_view reason) {
  return FindOperatorState("Workload", reason) != nullptr;
}

// Before Kueue 0.8, only the message distinguishes the two ends.
std::string_view EndBy(const std::string& reason, std::string_view message) {
  if (reason == "Succeeded" || reason == "FailedToStart" ||
      reason == "OutOfSync" || reason == "OwnerNotFound") {
    return reason;
  }
  const bool succeeded = message.find("success") != std::string_view::npos;
  return succeeded ? "Succeeded" : "Failed";
}

// Adds why a workload is not admitted, from condition `i`. After an eviction,
// the eviction is more specific than the wait.
void ReadWaiting(const kueue::Workload& workload, int i, bool evicted,
                 Candidates& facts) {
  const auto& condition = workload.status().conditions(i);
  Place place = {Root::kWorkload, -1, ".status.conditions", i, ".message"};
  const Seconds at = ToSeconds(condition.last_transition_time());
  if (!evicted && AddText(facts, QueueWaitTexts(), condition.message(), place,
                          at) != nullptr) {
    return;
  }
  place.leaf = ".reason";
  const bool known = !evicted && IsState(condition.reason());
  AddState(facts, known ? condition.reason() : "Pending", place,
           condition.reason(), at);
}

// Reasons of QuotaReserved=False (Kueue 0.19; older: the first two and
// "Pending").
bool IsWaiting(const std::string& reason) {
  return reason == "Inadmissible" || reason == "Waiting" ||
         reason == "WaitingForQuota" || IsState(reason);
}

// Returns whether all pods were created after `at`.
bool IsBeforePods(const Context& context, Seconds at) {
  const auto& pods = context.report.pods();
  return !pods.empty() && std::ranges::all_of(pods, [at](const auto& pod) {
    return Before(at, ToSeconds(pod.metadata().creation_timestamp()));
  });
}

// Returns whether a user has reactivated the workload since `at`. It keeps the
// condition of its eviction until it is admitted (Kueue 0.19).
bool WasReactivated(const kueue::Workload& workload, Seconds at) {
  return std::ranges::any_of(
      workload.status().conditions(), [at](const auto& condition) {
        return condition.type() == "Requeued" &&
               condition.reason() == "Reactivated" &&
               condition.status() == "True" &&
               !Before(ToSeconds(condition.last_transition_time()), at);
      });
}

}  // namespace

void ReadQueue(const Context& context, Candidates& facts) {
  if (!context.report.has_kueue_workload()) return;
  const kueue::Workload& workload = context.report.kueue_workload();
  bool explained = false;
  bool admitted = false;
  int waiting = -1;
  for (int i = 0; i < workload.status().conditions_size(); ++i) {
    const auto& condition = workload.status().conditions(i);
    const Place place = {Root::kWorkload, -1, ".status.conditions", i,
                         ".reason"};
    const Seconds at = ToSeconds(condition.last_transition_time());
    const std::string& type = condition.type();
    const std::string& reason = condition.reason();
    const bool is_true = condition.status() == "True";
    context.AddUserSignature(facts, v1::Signature::OPERATOR_MESSAGE,
                             condition.message(), std::nullopt, place, at);
    if (type == "Evicted" && is_true) {
      if (WasReactivated(workload, at)) continue;
      AddFact(facts, "queue", *FindEvictedReason(reason), place, reason, at);
      explained = true;
    } else if (type == "DeactivationTarget" && is_true) {
      AddFact(facts, "queue", *FindEvictedReason("DeactivatedDueTo" + reason),
              place, reason, at);
      Weigh(Round::kRead, facts.back(), {.condition = type});
      explained = true;
    } else if (type == "Preempted" && is_true) {
      // Older releases keep the condition when they admit the work again.
      if (IsBeforePods(context, at)) continue;
      AddFact(facts, "queue", *FindEvictedReason("Preempted"), place, reason,
              at);
      explained = true;
    } else if (type == "Finished" && is_true) {
      explained = true;
      // Elastic work goes on as another Workload (Kueue 0.19).
      if (reason == "WorkloadSliceReplaced") continue;
      AddState(facts, EndBy(reason, condition.message()), place, reason, at);
    } else if (type == "Admitted") {
      admitted = is_true;
    } else if (type == "QuotaReserved" && condition.status() == "False" &&
               IsWaiting(reason)) {
      waiting = i;
    }
  }
  if (waiting >= 0) ReadWaiting(workload, waiting, explained, facts);
  if (!workload.status().unhealthy_nodes().empty() && !explained) {
    AddState(facts, "UnhealthyNodes",
             {Root::kWorkload, -1, ".status.unhealthyNodes", 0, ".name"},
             workload.status().unhealthy_nodes(0).name());
    explained = true;
  }
  if (workload.spec().has_active() && !workload.spec().active() && !explained &&
      !admitted) {
    AddState(facts, "Inactive", {Root::kWorkload, -1, "", -1, ".spec.active"},
             "false");
  }
}

}  // namespace mulligan::demystify
