#include "policy/demystify/situation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/request/owner_graph.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

std::size_t At(int pod) { return static_cast<std::size_t>(pod); }

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

// Whether the workload is being deleted, and had not failed for good before:
// nobody starts anything of it again. A Job that another object controls is
// deleted to be made again.
bool GoesAway(const Context& context, const Candidates& facts) {
  return std::ranges::any_of(facts, [&context](const Candidate& fact) {
    if (fact.row != &sign::kObjectDeleted) return false;
    if (context.owners.HadGivenUp(fact.at)) return false;
    return fact.place.root != Root::kJobs ||
           ControllerOf(context.report.jobs(fact.place.index).metadata()) ==
               nullptr;
  });
}

// The kubelet writes that a container was killed before it writes the phase and
// why: it takes it no longer than this.
constexpr Seconds kKubeletWrites = 10;

// Whether a kill that nothing explains may be explained any moment: the pod is
// not said to have ended.
bool IsHalfTold(const Context& context, const Conclusion& conclusion) {
  const PodState& state = conclusion.gang.state;
  return state.phase == Phase::kRunning && state.end == End::kKilled &&
         (conclusion.cause == v1::SIGTERM_UNEXPLAINED ||
          conclusion.cause == v1::SIGKILL_UNEXPLAINED) &&
         Known(state.finished_at) &&
         !Before(state.finished_at + kKubeletWrites, context.now);
}

// Says what goes on where that is not plain from the cause.
void WarnOfWhatGoesOn(const Context& context, const Gang& gang,
                      std::vector<std::string>& warnings) {
  const auto& pod = context.report.pods(gang.root);
  const std::string name = Excerpt(ContainerName(pod, gang.state));
  if (gang.state.beside) {
    warnings.push_back(
        absl::StrCat("container ", name, " ended, the work beside it goes on"));
  } else if (gang.state.restarting) {
    const core::ContainerStatus* container = DecidingContainer(pod, gang.state);
    const std::int32_t restarts =
        container == nullptr ? 0 : container->restart_count();
    warnings.push_back(absl::StrCat(
        "the kubelet starts container ", name, " again by itself",
        restarts == 0 ? std::string()
                      : absl::StrCat("; it has ", restarts, " times")));
  }
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
  if (winner->row == &sign::kDeletionRequested &&
      !GoesAway(context, conclusion.facts) &&
      LivesWithout(context, winner->place.index)) {
    conclusion.situation = v1::Diagnosis::ALIVE;
  }
  if (conclusion.situation != v1::Diagnosis::BROKEN) return;
  if (GoesAway(context, conclusion.facts)) {
    conclusion.situation = v1::Diagnosis::FINISHED;
    conclusion.warnings.emplace_back(
        "the workload is being deleted: nothing of it is started again");
    return;
  }
  if (context.owners.gave_up()) return;
  const Gang& gang = conclusion.gang;
  if (const Seconds until = RequeuedUntil(context); Known(until)) {
    conclusion.situation = v1::Diagnosis::ALIVE;
    conclusion.ask_again = until;
    return;
  }
  const Seconds began =
      gang.root < 0 ? winner->at : members[At(gang.root)].struck;
  if (OperatorRestarts(conclusion.facts, began)) {
    conclusion.situation = v1::Diagnosis::ALIVE;
    return;
  }
  if (gang.root < 0) return;
  if (IsHalfTold(context, conclusion)) {
    conclusion.situation = v1::Diagnosis::ALIVE;
    conclusion.ask_again = context.now + kKubeletWrites;
    conclusion.warnings.emplace_back(
        "the kubelet has yet to say how the pod ended: ask again");
    return;
  }
  const bool of_pod =
      winner->place.root == Root::kPods || winner->place.root == Root::kEvents;
  if (of_pod && (gang.state.goes_on() || OwnerGoesOn(context, gang.root))) {
    conclusion.situation = v1::Diagnosis::ALIVE;
    WarnOfWhatGoesOn(context, gang, conclusion.warnings);
  }
}

}  // namespace mulligan::demystify
