#include "policy/demystify/behind.h"

#include <algorithm>
#include <cstddef>

namespace mulligan::demystify {
namespace {

// The taint manager removes the pods of a node that fell silent; other taints
// are set by people and autoscalers.
void LookBehindTaint(Conclusion& conclusion) {
  if (conclusion.cause != v1::TAINT_EVICTED) return;
  // A machine that is taken back falls silent, too.
  for (const v1::Cause cause : {v1::SPOT_RECLAIMED, v1::NODE_LOST}) {
    for (std::size_t i = 0; i < conclusion.facts.size(); ++i) {
      Candidate& fact = conclusion.facts[i];
      if (fact.row == nullptr || fact.row->cause != cause ||
          fact.row->tier < Tier::kSpecific) {
        continue;
      }
      fact.tier = conclusion.decisive()->tier;
      fact.why_not = "";
      conclusion.winner = static_cast<int>(i);
      conclusion.cause = cause;
      // The taint manager and whoever saw the node go agree.
      conclusion.confidence =
          cause == v1::NODE_LOST
              ? std::max(conclusion.confidence, fact.row->confidence)
              : fact.row->confidence;
      return;
    }
  }
}

// A pull that fails without a reason is given the time an outage may take.
void LookBehindPull(const Context& context, Conclusion& conclusion) {
  constexpr Seconds kYoung = 180;
  if (conclusion.cause != v1::IMAGE_INVALID ||
      conclusion.confidence != v1::Diagnosis::LOW || conclusion.gang.root < 0) {
    return;
  }
  const auto& status = context.report.pods(conclusion.gang.root).status();
  const Seconds start = ToSeconds(status.start_time());
  if (Known(start) && Known(context.now) && context.now >= start &&
      context.now < start + kYoung) {
    conclusion.cause = v1::IMAGE_PULL_TRANSIENT;
  }
}

}  // namespace

void LookBehind(const Context& context, Conclusion& conclusion) {
  LookBehindTaint(conclusion);
  LookBehindPull(context, conclusion);
}

}  // namespace mulligan::demystify
