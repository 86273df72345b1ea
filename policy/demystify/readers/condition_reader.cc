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

class ConditionReader {
 public:
  ConditionReader(const Context& context, int pod, const PodState& state,
                  Candidates& facts)
      : context_(context),
        pod_index_(pod),
        pod_(context.report.pods(pod)),
        state_(state),
        facts_(facts) {}

  void Read(int index) {
    index_ = index;
    const core::PodCondition& condition = pod_.status().conditions(index);
    at_ = ToSeconds(condition.last_transition_time());
    if (!condition.message().empty()) {
      context_.AddUserSignature(facts_, v1::Signature::POD_MESSAGE,
                                condition.message(), state_.exit_code,
                                At(".message"), at_);
    }
    // The type first: most conditions say nothing, and there are many pods.
    const auto is = [&condition](std::string_view type, const char* status) {
      return condition.type() == type && condition.status() == status;
    };
    if (is("DisruptionTarget", "True")) {
      ReadDisruption(condition);
    } else if (is("PodScheduled", "False")) {
      ReadUnscheduled(condition);
    } else if (is("TerminationTarget", "True")) {
      ReadTermination(condition);
    } else if (is("TerminatedByKueue", "True")) {
      Sign(sign::kTerminatedByKueue, condition.reason());
    } else if (is("Initialized", "False")) {
      ReadUninitialized(condition);
    } else if (is("PodReadyToStartContainers", "False")) {
      ReadNotReadyToStart();
    }
  }

 private:
  Place At(const char* leaf) const {
    return {Root::kPods, pod_index_, ".status.conditions", index_, leaf};
  }

  void Sign(const Signature& sign, std::string_view value) {
    AddSign(facts_, sign, At(".reason"), value, at_);
  }

  // The kubelet's own reason covers pressure, shutdown and critical pods, and
  // third parties add reasons: the words decide then.
  void ReadDisruption(const core::PodCondition& condition) {
    const Signature* row = FindDisruptionReason(condition.reason());
    Candidate& fact = AddFact(facts_, "disruption",
                              row != nullptr ? *row : UnknownDisruption(),
                              At(".reason"), condition.reason(), at_);
    if (row == nullptr || row->confidence != v1::Diagnosis::HIGH) {
      RefineDisruption(condition, fact);
    }
  }

  void RefineDisruption(const core::PodCondition& condition,
                        Candidate& candidate) {
    const core::PodStatus& status = pod_.status();
    const TextSignature* text = KubeletTexts().Find(condition.message());
    if (text == nullptr) text = KubeletTexts().Find(status.message());
    if (text != nullptr) {
      candidate.row = &text->row;
      candidate.table = KubeletTexts().name();
      candidate.cause = text->row.cause;
      Weigh(Round::kBeside, candidate, {.message = &text->row});
      return;
    }
    const Signature* reason = FindPodReason(status.reason());
    if (reason == nullptr) return;
    candidate.cause = reason->cause;
    Weigh(Round::kBeside, candidate, {.reason = reason});
  }

  void ReadUnscheduled(const core::PodCondition& condition) {
    if (state_.started || !pod_.spec().node_name().empty()) return;
    if (condition.reason() == "SchedulingGated") {
      Sign(sign::kSchedulingGated, condition.reason());
      return;
    }
    const bool known = condition.reason() == "Unschedulable";
    Sign(known ? sign::kUnschedulable : sign::kUnscheduled,
         known ? condition.reason() : condition.status());
    const std::size_t sign = facts_.size() - 1;
    const Signature* text = AddText(facts_, SchedulingTexts(),
                                    condition.message(), At(".message"), at_);
    if (text == nullptr || text->cause == facts_[sign].cause) return;
    facts_[sign].cause = text->cause;
    Weigh(Round::kBeside, facts_[sign], {.message = text});
  }

  // Kueue marks plain pods before it deletes them.
  void ReadTermination(const core::PodCondition& condition) {
    constexpr std::string_view kEvicted = "WorkloadEvictedDueTo";
    const std::string_view reason = condition.reason();
    if (reason.substr(0, kEvicted.size()) == kEvicted) {
      const Signature* row = FindEvictedReason(reason.substr(kEvicted.size()));
      AddFact(facts_, "queue", *row, At(".reason"), reason, at_);
      return;
    }
    if (AddText(facts_, QueueTexts(), condition.message(), At(".message"),
                at_) != nullptr) {
      return;
    }
    AddFact(facts_, "queue", FindEvent("StoppedByKueue")->row, At(".reason"),
            condition.reason(), at_);
  }

  void ReadUninitialized(const core::PodCondition& condition) {
    if (condition.reason() == "ContainersNotInitialized" &&
        pod_.status().init_container_statuses().empty() &&
        pod_.status().container_statuses().empty()) {
      Sign(sign::kInitIncomplete, condition.reason());
    }
  }

  void ReadNotReadyToStart() {
    if (state_.phase == Phase::kPending && !state_.started && !state_.blocked &&
        Known(at_) && Before(at_ + kStuck, context_.now)) {
      Sign(sign::kReadyToStartFalse, "False");
    }
  }

  const Context& context_;
  const int pod_index_;
  const core::Pod& pod_;
  const PodState& state_;
  Candidates& facts_;
  int index_ = 0;
  Seconds at_ = kUnknownTime;
};

}  // namespace

void ReadPodConditions(const Context& context, int index, const PodState& state,
                       Candidates& facts) {
  ConditionReader reader(context, index, state, facts);
  const int size = context.report.pods(index).status().conditions_size();
  for (int i = 0; i < size; ++i) reader.Read(i);
}

}  // namespace mulligan::demystify
