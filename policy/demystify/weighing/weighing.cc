#include "policy/demystify/weighing/weighing.h"

#include <array>
#include <cstddef>
#include <iterator>

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/conditions.h"
#include "policy/demystify/weighing/object_conditions.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

namespace table {

using enum Round;
using enum Tier;

// Stays as it is: no rule below is asked.
constexpr Worth kAsItIs;
constexpr Worth kBeLow = {.confidence = kLow};
constexpr Worth kBeMedium = {.confidence = kMedium};
constexpr Worth kBeHigh = {.confidence = kHigh};
constexpr Worth kAtMostLow = {.at_most = kLow};
constexpr Worth kAtMostMedium = {.at_most = kMedium};

// Out of the decision, kept as an explanation.
constexpr Worth Out(const char* why_not) {
  return {.tier = kHint, .why_not = why_not};
}

constexpr Rule kRules[] = {
    // Before the built-in texts and exit codes, after structured evidence.
    {"users-own", kRead, IsUsersOwn, {.ahead_of = kExitCodeWeight}},
    // The policy's owner has read the same words.
    {"read-by-users-own", kRead, IsReadByUsersOwn,
     Out("a signature of the policy says what the text means")},
    // The node's own word: it comes before what the program makes of it, if the
    // program ended right then.
    {"device-fault", kRead, IsDeviceFault, {.among = kDisruptionWeight}},
    {"stuck-terminating", kRead, IsStuckTerminating, {.ahead_of = kPodWeight}},
    // A node of spot capacity that went away was most likely taken back.
    {"spot-node", kRead, IsOfSpotNode, {.ahead_of_strongest = true}},
    // Says why, where Evicted is no more than Deactivated.
    {"deactivation", kRead, IsDeactivation, {.ahead_of = kQueueWeight}},
    // The Job controller's sentence tells which kind of rule matched.
    {"pod-failure-rule", kRead, IsPodFailureRule, {.as_its_row = true}},
    // A text about creation refines a state, it does not outrank it.
    {"sure-of-creation",
     kRead,
     IsSureOfCreation,
     {.tier = kDecisive, .ahead_of = kOperatorWeight}},
    {"vague-of-creation",
     kRead,
     IsVagueOfCreation,
     {.tier = kSpecific, .ahead_of = kOperatorWeight}},
    // Queues and operators know of pods by hearsay.
    {"life-by-hearsay", kRead, IsLifeByHearsay, kBeMedium},
    // Nothing has gone wrong yet, as far as what is told is understood.
    {"start-beside-warning", kRead, IsStartBesideWarning, kBeLow},
    {"start-at-unknown-time", kRead, IsStartAtUnknownTime, kBeMedium},
    {"exit-alone", kRead, IsExitAlone, {.tier = kDecisive}},
    {"succeeded-by-phase",
     kRead,
     SucceededByPhase,
     {.tier = kDecisive, .ahead_of = kQueueWeight}},
    {"succeeded-in-failed-pod", kRead, SucceededInFailedPod, kBeMedium},

    // A program that starts others ends with a code of its own, whatever became
    // of them: make with 2, cargo with 101.
    {"code-of-launcher", kCode, IsCodeOfLauncher, {.tier = kGeneric}},

    {"last-state-tells", kBeside, LastStateTells,
     Out("how the container fails is in its last state")},
    {"no-call", kBeside, WasNoCall, Out("the code is that of a call")},
    // "Not found" and the like are weaker than a code or reason beside them.
    {"vague-answer", kBeside, IsVagueAnswer, {.tier = kSpecific}},
    {"reason-beside-words",
     kBeside,
     IsReasonBesideWords,
     {.tier = kSpecific, .why_not = "the message says more than the reason"}},
    {"code-beside-words",
     kBeside,
     IsCodeBesideWords,
     {.tier = kSpecific, .why_not = "the message says more than the code"}},
    {"answer", kBeside, IsOfAnswer, kAsItIs},
    // The words' own meaning: the reason of a disruption covers others, too.
    {"read-by-its-words",
     kBeside,
     IsReadByItsWords,
     {.tier = kDecisive, .as_its_row = true}},
    // Evicted together with a disruption is node pressure, and so said.
    {"pod-reason-beside", kBeside, HasPodReason, kBeHigh},
    {"why-unscheduled", kBeside, SaysWhyUnscheduled, {.as_message = true}},
    // A message says more than its reason, which may be surer of the same.
    {"message-says-more", kBeside, MessageSaysMore, {.tier = kConvention}},
    // The reason of an earlier shutdown stays when the pod comes back.
    {"reason-of-running-pod", kBeside, IsReasonOfRunningPod, kBeMedium},
    {"device-at-another-time", kBeside, IsDeviceAtAnotherTime,
     Out("the device failed at another time")},

    {"quota-in-vague-words", kQuota, IsTheMessage, {.tier = kDecisive}},
    // A quota inside a Forbidden is no refusal of the object.
    {"refusal-for-quota", kQuota, IsRefusal, {.tier = kSpecific}},

    {"code-of-no-error", kTrust, IsCodeOfNoError, kAtMostLow},
    {"code-without-call", kTrust, IsCodeWithoutCall, kAtMostMedium},

    {"helped-completed-work", kContainer, HelpedCompletedWork,
     Out("helpers do not fail work that has completed")},
    {"still-at-work", kContainer, IsStillAtWork,
     Out("the pod is being stopped, and still at work")},
    {"another-decides", kContainer, AnotherDecides,
     Out("another container of the pod decides")},
    // That something is missing says more than who missed it.
    {"init-misses-something",
     kContainer,
     InitMissesSomething,
     {.tier = kGeneric}},
    // For an init container exit 2 or 65 says less than that it is one.
    {"convention-of-init", kContainer, IsConventionOfInit, {.tier = kGeneric}},

    {"run-before", kRun, IsOfTheRunBefore,
     Out("that run of the container is over")},

    {"hint-of-pod", kPod, DecidesNothing, kAsItIs},
    // What deletes the pod tells why itself.
    {"cleaned-up", kPod, IsCleanUp,
     Out("its owner had failed, or starts again, and cleaned up")},
    {"pod-runs", kPod, PassesAsPodRuns, Out("the pod is running")},
    {"pod-starts", kPod, PassesAsPodStarts, Out("the pod is starting")},
    // A kubelet that restarts may refuse pods that have done their work.
    {"refused-when-done", kPod, RefusedWhenDone,
     Out("the container had ended well before")},
    // Within the grace period of a deletion a program may answer its SIGTERM
    // with an exit of its own.
    {"deletion-answered", kPod, DeletionWasAnswered, kBeLow},
    // That of a failed probe, too.
    {"probe-answered", kPod, ProbeWasAnswered, kBeMedium},
    {"end-explains-itself", kPod, EndExplainsItself,
     Out("the container ended by itself")},
    {"not-its-own-end", kPod, EndWasNotItsOwn,
     Out("somebody ended the container, and many logs have such words")},
    {"no-end-to-explain", kPod, HasNoEndToExplain,
     Out("nothing has ended the pod")},
    {"after-the-end", kPod, CameAfterTheEnd,
     Out("announced after the container had ended")},
    {"oom-kill-stands", kPod, YieldsToOomKill,
     Out("the container was killed at its memory limit")},

    // A pod that fails has its own story; of events about other objects only
    // those of a queue still matter.
    {"beside-failed-pod", kEvents, IsBesideFailedPod,
     Out("the event is about another object")},
    {"hint-of-event", kEvents, DecidesNothing, kAsItIs},
    // Events are about other objects or from earlier: they break nothing that
    // is known to run or to have succeeded.
    {"work-goes-on", kEvents, WorkGoesOn, Out("the work goes on")},
    {"replaced", kEvents, WasReplaced,
     Out("a pod has taken the place of the one that is gone")},
    {"created-after-all", kEvents, WasCreatedAfterAll,
     Out("the pods were created after all")},

    {"hint-of-object", kObjects, DecidesNothing, kAsItIs},
    // Neither a pod nor a child ends the work that it is a part of.
    {"part-succeeded", kObjects, OnlyAPartSucceeded,
     Out("a part succeeded, the workload itself has not")},
    {"part-ended-well", kObjects, PartEndedWell,
     Out("the pod ended well all the same")},
    // By a time to live, or by somebody who tidies up.
    {"deleted-after-failure", kObjects, DeletedAfterFailure,
     Out("it had failed for good before it was deleted")},
    {"suspended-after-failure", kObjects, SuspendedAfterFailure,
     Out("what has failed for good is not resumed")},
    // A queue holds work by suspending it: where its Workload says why, that
    // counts and not the suspension.
    {"suspended-by-queue", kObjects, SuspendedByQueue,
     Out("the queue suspends what it does not admit")},
    // A deadline that passed while the pods could not start is the end of the
    // wait, not its cause, where waiting helps nobody.
    {"deadline-without-start", kObjects, DeadlineWithoutStart,
     Out("it passed because no pod could start")},
    {"not-against-failed-pod", kObjects, IsNotAgainstFailedPod, kAsItIs},
    {"from-above-after-the-end", kObjects, CameFromAboveAfterTheEnd,
     Out("it happened after the container had ended")},
    {"end-explains-itself-below", kObjects, EndExplainsItself,
     Out("the container ended by itself")},

    // There is no time left for what might have passed.
    {"deadline-while-starting", kMembers, DeadlineWhileStarting,
     Out("the deadline passed while it waited to start")},
    // Members that still run are no success yet.
    {"others-have-not-succeeded", kMembers, OthersHaveNotSucceeded,
     Out("other pods have not succeeded yet")},
    // Some pods succeeded, the workload did not: failed ones are gone.
    {"workload-failed", kMembers, WorkloadFailed,
     Out("the workload failed although this pod succeeded")},

    {"root-elsewhere", kSure, RootIsElsewhere, kBeLow},
    // A container cannot wait, run and have ended at once.
    {"two-states", kSure, ContainerIsInTwoStates, kAtMostMedium},

    // The taint manager removes the pods of a node that fell silent; other
    // taints are set by people and autoscalers. A machine that is taken back
    // falls silent, too.
    {"taken-back-behind-taint",
     kBehind,
     TakenBackBehindTaint,
     {.as_its_row = true, .why_not = ""}},
    // The taint manager and whoever saw the node go agree.
    {"lost-behind-taint",
     kBehind,
     LostBehindTaint,
     {.as_its_row = true, .agrees = true, .why_not = ""}},
    // The secret that is not there may be the one that a pull without a reason
    // needs.
    {"denied-behind-pull", kBehind, DeniedBehindPull, kBeLow},

    // Others may have read more than there is here, but what Kubernetes or the
    // program itself says is seen and not told.
    {"hint-beside-named", kOthers, IsBesideNamed,
     Out("what the report itself names comes first")},
    {"hint-less-sure", kOthers, IsLessSure,
     Out("the report is surer of something else")},
    {"hint", kOthers, IsHeard, {.tier = kConvention, .at_most = kMedium}},

    {"says-failure-too", kSuccess, SaysFailureToo, kBeLow},
    {"pod-says-failure", kSuccess, PodSaysFailure, kAtMostMedium},
};

}  // namespace table

using table::kRules;

constexpr std::size_t kRounds = static_cast<std::size_t>(Round::kSuccess) + 1;

// Where the rules of each round begin; they stand together.
constexpr auto kBegins = [] {
  std::array<std::size_t, kRounds + 1> begins{};
  std::size_t rule = 0;
  for (std::size_t round = 0; round <= kRounds; ++round) {
    begins[round] = rule;
    while (rule < std::size(kRules) &&
           static_cast<std::size_t>(kRules[rule].round) == round) {
      ++rule;
    }
  }
  return begins;
}();
static_assert(kBegins[kRounds] == std::size(kRules), "a round out of order");

std::span<const Rule> RulesOf(Round round) {
  const auto at = static_cast<std::size_t>(round);
  return Rules().subspan(kBegins[at], kBegins[at + 1] - kBegins[at]);
}

}  // namespace

std::span<const Rule> Rules() { return kRules; }

const Rule* RuleFor(Round round, const Candidate& fact, const Scene& scene) {
  for (const Rule& rule : RulesOf(round)) {
    if (rule.holds(fact, scene)) return &rule;
  }
  return nullptr;
}

void Weigh(Round round, std::span<Candidate> facts, const Scene& scene) {
  for (Candidate& fact : facts) {
    const Rule* rule = RuleFor(round, fact, scene);
    if (rule != nullptr) Apply(rule->worth, scene, fact);
  }
}

int WeighBehind(std::span<Candidate> facts, const Scene& scene) {
  for (const Rule& rule : RulesOf(Round::kBehind)) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!rule.holds(facts[i], scene)) continue;
      Apply(rule.worth, scene, facts[i]);
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace mulligan::demystify
