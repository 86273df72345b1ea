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
using v1::Diagnosis;

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

// Returns whether the workload is being deleted and had not failed for good
// before. False for a Job with a controller, which recreates it.
bool IsBeingDeleted(const Context& context, const Candidates& facts) {
  return std::ranges::any_of(facts, [&context](const Candidate& fact) {
    if (fact.row != &sign::kObjectDeleted) return false;
    if (context.owners.HadGivenUp(fact.at)) return false;
    return fact.place.root != Root::kJobs ||
           ControllerOf(context.report.jobs(fact.place.index).metadata()) ==
               nullptr;
  });
}

// Seconds within which the kubelet writes a pod's phase and reason after it has
// reported a killed container.
constexpr Seconds kKubeletWrites = 10;

// Returns whether the report may still lack the reason for a kill, because the
// pod's phase does not show an end yet.
bool IsIncomplete(const Context& context, const Conclusion& conclusion) {
  const PodState& state = conclusion.gang.state;
  return state.phase == Phase::kRunning && state.end == End::kKilled &&
         (conclusion.cause == v1::SIGTERM_UNEXPLAINED ||
          conclusion.cause == v1::SIGKILL_UNEXPLAINED) &&
         Known(state.finished_at) &&
         !Before(state.finished_at + kKubeletWrites, context.now);
}

// Returns what continues, as text; empty if the cause shows it.
std::string DescribeOngoingWork(const v1::FailureReport& report,
                                const Gang& gang) {
  const auto& pod = report.pods(gang.root);
  const std::string name = Excerpt(ContainerName(pod, gang.state));
  if (gang.state.work_runs) {
    return absl::StrCat("container ", name,
                        " ended, the work beside it goes on");
  }
  if (!gang.state.restarting) return "";
  const core::ContainerStatus* container = DecidingContainer(pod, gang.state);
  const std::int32_t restarts =
      container == nullptr ? 0 : container->restart_count();
  return absl::StrCat("the kubelet starts container ", name, " again by itself",
                      restarts == 0
                          ? std::string()
                          : absl::StrCat("; ", restarts,
                                         restarts == 1 ? " restart so far"
                                                       : " restarts so far"));
}

}  // namespace

SituationFound FindSituation(const Attempt& attempt,
                             const Conclusion& conclusion) {
  const Context& context = attempt.context;
  const Candidate& winner = *conclusion.decisive();
  const Gang& gang = conclusion.gang;
  const bool being_deleted = IsBeingDeleted(context, conclusion.facts);
  if (winner.row == &sign::kDeletionRequested && !being_deleted &&
      SurvivesWithout(context, winner.place.index)) {
    return {Diagnosis::ALIVE};
  }
  const Diagnosis::Situation by_cause = SituationOf(conclusion.cause);
  if (by_cause != Diagnosis::BROKEN) return {by_cause};
  if (being_deleted) {
    return {Diagnosis::FINISHED, kUnknownTime,
            "the workload is being deleted: nothing of it is started again"};
  }
  if (context.owners.gave_up()) return {Diagnosis::BROKEN};
  if (const Seconds until = RequeuedUntil(context); Known(until)) {
    return {Diagnosis::ALIVE, until};
  }
  const Seconds began =
      gang.root < 0 ? winner.at : attempt.member(gang.root).struck;
  if (OperatorRestarts(conclusion.facts, began)) return {Diagnosis::ALIVE};
  if (gang.root < 0) return {Diagnosis::BROKEN};
  if (IsIncomplete(context, conclusion)) {
    return {Diagnosis::ALIVE, context.now + kKubeletWrites,
            "the kubelet has yet to say how the pod ended: ask again"};
  }
  const bool of_pod =
      winner.place.root == Root::kPods || winner.place.root == Root::kEvents;
  if (of_pod && (gang.state.goes_on() || OwnerContinues(context, gang.root))) {
    return {Diagnosis::ALIVE, kUnknownTime,
            DescribeOngoingWork(context.report, gang)};
  }
  return {Diagnosis::BROKEN};
}

SituationFound FindLiveSituation(const Attempt& attempt, Candidates& facts) {
  SituationFound found = {Diagnosis::ALIVE,
                          StuckAt(attempt.context, attempt.pods)};
  // An unresponsive node may not come back.
  for (const Candidate& fact : facts) {
    if (fact.place.root == Root::kNodes && Known(fact.at)) {
      found.ask_again = Earlier(found.ask_again, fact.at + kNodePatience + 1);
    }
  }
  const std::size_t before = facts.size();
  AddLifeSign(attempt, facts);
  if (facts.size() == before) {
    found.warning =
        "nothing in the report has a status that says how the work fares";
  }
  return found;
}

}  // namespace mulligan::demystify
