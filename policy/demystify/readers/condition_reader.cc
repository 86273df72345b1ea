#include "policy/demystify/readers/condition_reader.h"

#include <string_view>

#include "policy/base/conditions.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Condition `index` of a pod.
struct ConditionRef {
  const Context& context;
  int pod_index;
  int index;
  const PodState& state;
  const core::Pod& pod = context.report.pods(pod_index);
  const core::PodCondition& condition = pod.status().conditions(index);
  Seconds at = ToSeconds(condition.last_transition_time());
};

Place At(const ConditionRef& ref, const char* leaf) {
  return {Root::kPods, ref.pod_index, ".status.conditions", ref.index, leaf};
}

// Refines a broad reason by the message.
void RefineDisruption(const ConditionRef& ref, Candidate& fact) {
  const core::PodStatus& status = ref.pod.status();
  const TextSignature* text = KubeletTexts().Find(ref.condition.message());
  if (text == nullptr) text = KubeletTexts().Find(status.message());
  if (text != nullptr) {
    fact.row = &text->row;
    fact.table = KubeletTexts().name();
    fact.cause = text->row.cause;
    Weigh(Round::kSameObject, fact, {.message = &text->row});
  } else if (const Signature* reason = FindPodReason(status.reason())) {
    fact.cause = reason->cause;
    Weigh(Round::kSameObject, fact, {.reason = reason});
  }
}

// The kubelet's one reason covers pressure, shutdown and critical pods.
void ReadDisruption(const ConditionRef& ref, Candidates& facts) {
  const std::string& reason = ref.condition.reason();
  const Signature* row = FindDisruptionReason(reason);
  Candidate& fact =
      AddFact(facts, "disruption", row != nullptr ? *row : UnknownDisruption(),
              At(ref, ".reason"), reason, ref.at);
  if (row == nullptr || row->confidence != v1::Diagnosis::HIGH) {
    RefineDisruption(ref, fact);
  }
}

void ReadUnscheduled(const ConditionRef& ref, Candidates& facts) {
  if (ref.state.started || !ref.pod.spec().node_name().empty()) return;
  const std::string& reason = ref.condition.reason();
  const Place place = At(ref, ".reason");
  if (reason == "SchedulingGated") {
    AddSign(facts, sign::kSchedulingGated, place, reason, ref.at);
    return;
  }
  const std::size_t added = facts.size();
  if (reason == "Unschedulable") {
    AddSign(facts, sign::kUnschedulable, place, reason, ref.at);
  } else {
    AddSign(facts, sign::kUnscheduled, place, ref.condition.status(), ref.at);
  }
  const Signature* text =
      AddText(facts, SchedulingTexts(), ref.condition.message(),
              At(ref, ".message"), ref.at);
  if (text == nullptr || text->cause == facts[added].cause) return;
  facts[added].cause = text->cause;
  Weigh(Round::kSameObject, facts[added], {.message = text});
}

// Kueue marks plain pods before it deletes them.
void ReadTermination(const ConditionRef& ref, Candidates& facts) {
  constexpr std::string_view kEvicted = "WorkloadEvictedDueTo";
  const std::string_view reason = ref.condition.reason();
  const bool evicted = reason.starts_with(kEvicted);
  if (!evicted && AddText(facts, QueueTexts(), ref.condition.message(),
                          At(ref, ".message"), ref.at) != nullptr) {
    return;
  }
  AddFact(facts, "queue",
          evicted ? *FindEvictedReason(reason.substr(kEvicted.size()))
                  : FindEvent("StoppedByKueue")->row,
          At(ref, ".reason"), reason, ref.at);
}

void ReadTerminatedByKueue(const ConditionRef& ref, Candidates& facts) {
  AddSign(facts, sign::kTerminatedByKueue, At(ref, ".reason"),
          ref.condition.reason(), ref.at);
}

void ReadForcedDeletion(const ConditionRef& ref, Candidates& facts) {
  const EventSignature* const event = FindEvent(ref.condition.reason());
  if (event == nullptr) return;
  AddFact(facts, "queue", event->row, At(ref, ".reason"),
          ref.condition.reason(), ref.at);
}

void ReadUninitialized(const ConditionRef& ref, Candidates& facts) {
  if (ref.condition.reason() == "ContainersNotInitialized" &&
      ref.pod.status().init_container_statuses().empty() &&
      ref.pod.status().container_statuses().empty()) {
    AddSign(facts, sign::kInitIncomplete, At(ref, ".reason"),
            ref.condition.reason(), ref.at);
  }
}

void ReadNotReadyToStart(const ConditionRef& ref, Candidates& facts) {
  if (ref.state.phase == Phase::kPending && !ref.state.started &&
      !ref.state.blocked && Known(ref.at) &&
      Before(ref.at + kStuck, ref.context.now)) {
    AddSign(facts, sign::kReadyToStartFalse, At(ref, ".reason"), "False",
            ref.at);
  }
}

// Unlike the kubelet, the node lifecycle controller changes this condition
// alone and gives no reason (Kubernetes 1.34, MarkPodsNotReady).
void ReadNotReady(const ConditionRef& ref, Candidates& facts) {
  if (!ref.condition.reason().empty()) return;
  const auto& conditions = ref.pod.status().conditions();
  const auto* const marked =
      FindCondition(conditions, "DisruptionTarget", "True");
  if (marked != nullptr && marked->reason() == "DeletionByTaintManager" &&
      FindCondition(conditions, "ContainersReady", "True") != nullptr) {
    AddSign(facts, sign::kNodeNotReady, At(ref, ".status"), "False", ref.at);
  }
}

constexpr struct PodConditionReader {
  std::string_view type;
  std::string_view status;
  void (*read)(const ConditionRef& ref, Candidates& facts);
} kPodConditions[] = {
    {"DisruptionTarget", "True", ReadDisruption},
    {"PodScheduled", "False", ReadUnscheduled},
    {"TerminationTarget", "True", ReadTermination},
    {"TerminatedByKueue", "True", ReadTerminatedByKueue},
    {"KueueFailureRecovery", "True", ReadForcedDeletion},
    {"Initialized", "False", ReadUninitialized},
    {"PodReadyToStartContainers", "False", ReadNotReadyToStart},
    {"Ready", "False", ReadNotReady},
};

}  // namespace

void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts) {
  const auto& conditions = context.report.pods(index).status().conditions();
  for (int i = 0; i < conditions.size(); ++i) {
    const core::PodCondition& condition = conditions[i];
    if (!condition.message().empty()) {
      const ConditionRef ref{context, index, i, state};
      context.AddUserSignature(facts, v1::Signature::POD_MESSAGE,
                               condition.message(), state.exit_code,
                               At(ref, ".message"), ref.at);
    }
    // Most conditions have no reader, and there may be many pods.
    const std::string_view type = condition.type();
    for (const PodConditionReader& one : kPodConditions) {
      if (type == one.type && condition.status() == one.status) {
        one.read({context, index, i, state}, facts);
      }
    }
  }
}

}  // namespace mulligan::demystify
