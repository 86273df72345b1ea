#include "policy/demystify/other_causes.h"

#include <algorithm>
#include <cstddef>

#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

// Longer lists do not help.
constexpr std::size_t kMaxOthers = 8;

void AddOther(const OtherCause& other, const Conclusion& conclusion,
              std::vector<OtherCause>& others) {
  if (other.cause != conclusion.cause && others.size() < kMaxOthers &&
      std::ranges::find(others, other.cause, &OtherCause::cause) ==
          others.end()) {
    others.push_back(other);
  }
}

}  // namespace

std::string_view MessageOf(const v1::FailureReport& report,
                           const Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && !winner->text.empty()) return winner->text;
  const std::string_view of_pod = conclusion.gang.state.message;
  if (!of_pod.empty()) return of_pod;
  if (report.has_exit()) return report.exit().message();
  if (report.has_ended_attempt()) return report.ended_attempt().log_tail();
  return report.creation_error().message();
}

bool Lacks(const Context& context, const Conclusion& conclusion, Part part) {
  const v1::FailureReport& report = context.report;
  if (report.has_ended_attempt() && part != Part::kUsage &&
      part != Part::kMessage) {
    return false;
  }
  switch (part) {
    case Part::kNodes:
      return report.nodes().empty();
    case Part::kEvents:
      return report.events().empty();
    case Part::kWorkload:
      return !report.has_kueue_workload() && MayBeQueued(context.owners);
    case Part::kUsage:
      return report.usage().empty();
    case Part::kMessage:
      return MessageOf(report, conclusion).empty();
    case Part::kPods:
      return report.pods().empty();
    case Part::kOwner:
      return report.jobs().empty() && context.owners.views.empty();
    case Part::kEnds:
      return conclusion.gang.running > 0;
  }
  return false;
}

std::vector<OtherCause> OtherCausesOf(const v1::FailureReport& report,
                                      const Conclusion& conclusion, bool all) {
  std::vector<OtherCause> others;
  if (!report.hints().empty()) {
    for (const Candidate& fact : conclusion.facts) {
      if (fact.place.root != Root::kHints) continue;
      AddOther({fact.cause, &fact}, conclusion, others);
    }
  }
  if (!all) return others;
  std::vector<const Candidate*> facts;
  for (const Candidate& fact : conclusion.facts) {
    if (fact.row != nullptr) facts.push_back(&fact);
  }
  std::ranges::stable_sort(facts,
                           [](auto* a, auto* b) { return Stronger(*a, *b); });
  for (const Candidate* fact : facts) {
    AddOther({fact->cause, fact}, conclusion, others);
  }
  for (const Alternative& reading : RowOf(conclusion.cause).alternatives) {
    AddOther({reading.other, nullptr, &reading}, conclusion, others);
  }
  return others;
}

}  // namespace mulligan::demystify
