#include <algorithm>

#include "policy/demystify/judge.h"
#include "policy/demystify/life_signs.h"
#include "policy/request/ownership.h"

namespace mulligan::demystify {
namespace {

v1::Diagnosis::Situation SituationOf(v1::Cause cause) {
  switch (cause) {
    case v1::SUCCEEDED:
    case v1::CANCELLED:
      return v1::Diagnosis::FINISHED;
    case v1::SUSPENDED:
      return v1::Diagnosis::HELD;
    default:
      return v1::Diagnosis::BROKEN;
  }
}

// Whether the workload is being deleted, before it has failed for good: nobody
// starts anything of it again. A Job that another object controls is deleted to
// be made again.
bool GoesAway(const Context& context, const Candidates& facts) {
  if (OwnerGaveUp(context.report)) return false;
  return std::ranges::any_of(facts, [&context](const Candidate& fact) {
    if (fact.row == nullptr || fact.row->key != "object-deleted") return false;
    return fact.place.root != Root::kJobs ||
           ControllerOf(context.report.jobs(fact.place.index).metadata()) ==
               nullptr;
  });
}

void LookForLife(const Context& context, const std::vector<Member>& members,
                 const std::vector<int>& pods, Conclusion& conclusion) {
  conclusion.cause = v1::NOT_FAILED;
  conclusion.situation = v1::Diagnosis::ALIVE;
  conclusion.ask_again = StuckAt(context, pods);
  // A node that does not answer may go on so.
  for (const Candidate& fact : conclusion.facts) {
    if (fact.place.root == Root::kNodes && Known(fact.at)) {
      conclusion.ask_again =
          Earlier(conclusion.ask_again, fact.at + kNodePatience + 1);
    }
  }
  Candidates& facts = conclusion.facts;
  const std::size_t before = facts.size();
  AddLifeSign(context, members, pods, facts);
  if (facts.size() == before) {
    conclusion.confidence = v1::Diagnosis::LOW;
    conclusion.warnings.emplace_back(
        "nothing in the report has a status that says how the work fares");
    return;
  }
  conclusion.winner = static_cast<int>(before);
  conclusion.confidence = facts.back().confidence;
}

}  // namespace

void Assess(const Context& context, const std::vector<Member>& members,
            const std::vector<int>& pods, Conclusion& conclusion) {
  const Candidate* const winner = conclusion.decisive();
  if (winner == nullptr) {
    return LookForLife(context, members, pods, conclusion);
  }
  conclusion.situation = SituationOf(conclusion.cause);
  if (conclusion.situation != v1::Diagnosis::BROKEN) return;
  if (GoesAway(context, conclusion.facts)) {
    conclusion.situation = v1::Diagnosis::FINISHED;
    conclusion.warnings.emplace_back(
        "the workload is being deleted: nothing of it is started again");
    return;
  }
  if ((winner->flags & kRestarting) != 0) {
    conclusion.situation = v1::Diagnosis::ALIVE;
  }
  const Gang& gang = conclusion.gang;
  if (gang.root < 0) return;
  const bool of_pod =
      winner->place.root == Root::kPods || winner->place.root == Root::kEvents;
  if (of_pod &&
      (gang.state.recovered || OwnerGoesOn(context.report, gang.root))) {
    conclusion.situation = v1::Diagnosis::ALIVE;
  }
  if (winner->row->key == "helper-failed" &&
      PodRuns(context.report.pods(gang.root))) {
    conclusion.situation = v1::Diagnosis::ALIVE;
    conclusion.warnings.emplace_back(
        "a helper container ended, the work beside it goes on");
  }
}

}  // namespace mulligan::demystify
