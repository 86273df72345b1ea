#include "policy/demystify/readers/condition_reader.h"

#include <string_view>

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
struct PodSaid {
  const Context& context;
  int pod_index;
  int index;
  const PodState& state;
  const core::Pod& pod = context.report.pods(pod_index);
  const core::PodCondition& condition = pod.status().conditions(index);
  Seconds at = ToSeconds(condition.last_transition_time());
};

Place At(const PodSaid& said, const char* leaf) {
  return {Root::kPods, said.pod_index, ".status.conditions", said.index, leaf};
}

// The message states what the reason leaves open.
void RefineDisruption(const PodSaid& said, Candidate& fact) {
  const core::PodStatus& status = said.pod.status();
  const TextSignature* text = KubeletTexts().Find(said.condition.message());
  if (text == nullptr) text = KubeletTexts().Find(status.message());
  if (text != nullptr) {
    fact.row = &text->row;
    fact.table = KubeletTexts().name();
    fact.cause = text->row.cause;
    Weigh(Round::kBeside, fact, {.message = &text->row});
  } else if (const Signature* reason = FindPodReason(status.reason())) {
    fact.cause = reason->cause;
    Weigh(Round::kBeside, fact, {.reason = reason});
  }
}

// The kubelet's own reason covers pressure, shutdown and critical pods, and
// third parties add reasons.
void ReadDisruption(const PodSaid& said, Candidates& facts) {
  const std::string& reason = said.condition.reason();
  const Signature* row = FindDisruptionReason(reason);
  Candidate& fact =
      AddFact(facts, "disruption", row != nullptr ? *row : UnknownDisruption(),
              At(said, ".reason"), reason, said.at);
  if (row == nullptr || row->confidence != v1::Diagnosis::HIGH) {
    RefineDisruption(said, fact);
  }
}

void ReadUnscheduled(const PodSaid& said, Candidates& facts) {
  if (said.state.started || !said.pod.spec().node_name().empty()) return;
  const std::string& reason = said.condition.reason();
  const Place place = At(said, ".reason");
  if (reason == "SchedulingGated") {
    AddSign(facts, sign::kSchedulingGated, place, reason, said.at);
    return;
  }
  const std::size_t added = facts.size();
  if (reason == "Unschedulable") {
    AddSign(facts, sign::kUnschedulable, place, reason, said.at);
  } else {
    AddSign(facts, sign::kUnscheduled, place, said.condition.status(), said.at);
  }
  const Signature* text =
      AddText(facts, SchedulingTexts(), said.condition.message(),
              At(said, ".message"), said.at);
  if (text == nullptr || text->cause == facts[added].cause) return;
  facts[added].cause = text->cause;
  Weigh(Round::kBeside, facts[added], {.message = text});
}

// Kueue marks plain pods before it deletes them.
void ReadTermination(const PodSaid& said, Candidates& facts) {
  constexpr std::string_view kEvicted = "WorkloadEvictedDueTo";
  const std::string_view reason = said.condition.reason();
  const bool evicted = reason.starts_with(kEvicted);
  if (!evicted && AddText(facts, QueueTexts(), said.condition.message(),
                          At(said, ".message"), said.at) != nullptr) {
    return;
  }
  AddFact(facts, "queue",
          evicted ? *FindEvictedReason(reason.substr(kEvicted.size()))
                  : FindEvent("StoppedByKueue")->row,
          At(said, ".reason"), reason, said.at);
}

void ReadTerminatedByKueue(const PodSaid& said, Candidates& facts) {
  AddSign(facts, sign::kTerminatedByKueue, At(said, ".reason"),
          said.condition.reason(), said.at);
}

void ReadForcedDeletion(const PodSaid& said, Candidates& facts) {
  const EventSignature* const event = FindEvent(said.condition.reason());
  if (event == nullptr) return;
  AddFact(facts, "queue", event->row, At(said, ".reason"),
          said.condition.reason(), said.at);
}

void ReadUninitialized(const PodSaid& said, Candidates& facts) {
  if (said.condition.reason() == "ContainersNotInitialized" &&
      said.pod.status().init_container_statuses().empty() &&
      said.pod.status().container_statuses().empty()) {
    AddSign(facts, sign::kInitIncomplete, At(said, ".reason"),
            said.condition.reason(), said.at);
  }
}

void ReadNotReadyToStart(const PodSaid& said, Candidates& facts) {
  if (said.state.phase == Phase::kPending && !said.state.started &&
      !said.state.blocked && Known(said.at) &&
      Before(said.at + kStuck, said.context.now)) {
    AddSign(facts, sign::kReadyToStartFalse, At(said, ".reason"), "False",
            said.at);
  }
}

constexpr struct PodConditionReader {
  std::string_view type;
  std::string_view status;
  void (*read)(const PodSaid& said, Candidates& facts);
} kPodConditions[] = {
    {"DisruptionTarget", "True", ReadDisruption},
    {"PodScheduled", "False", ReadUnscheduled},
    {"TerminationTarget", "True", ReadTermination},
    {"TerminatedByKueue", "True", ReadTerminatedByKueue},
    {"KueueFailureRecovery", "True", ReadForcedDeletion},
    {"Initialized", "False", ReadUninitialized},
    {"PodReadyToStartContainers", "False", ReadNotReadyToStart},
};

}  // namespace

void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts) {
  const auto& conditions = context.report.pods(index).status().conditions();
  for (int i = 0; i < conditions.size(); ++i) {
    const core::PodCondition& condition = conditions[i];
    if (!condition.message().empty()) {
      const PodSaid said{context, index, i, state};
      context.AddUserSignature(facts, v1::Signature::POD_MESSAGE,
                               condition.message(), state.exit_code,
                               At(said, ".message"), said.at);
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
