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

// Keeps the fact unchanged and skips the rules below.
constexpr Worth kAsItIs;
constexpr Worth kBeLow = {.confidence = kLow};
constexpr Worth kBeMedium = {.confidence = kMedium};
constexpr Worth kBeHigh = {.confidence = kHigh};
constexpr Worth kAtMostLow = {.at_most = kLow};
constexpr Worth kAtMostMedium = {.at_most = kMedium};

// Excludes the fact from the decision but keeps it as an explanation.
constexpr Worth Out(const char* why_not) {
  return {.tier = kHint, .why_not = why_not};
}

constexpr Rule kRules[] = {
    // Before built-in texts and exit codes, after structured evidence.
    {"users-own", kRead, IsUserSignature, {.ahead_of = kExitCodeWeight}},
    // The policy's signature covers the same text.
    {"read-by-users-own", kRead, MatchesUserSignature,
     Out("a signature of the policy says what the text means")},
    // If the program ended then, a node's report outranks the program's.
    {"device-fault", kRead, IsDeviceFault, {.among = kDisruptionWeight}},
    {"stuck-terminating", kRead, IsStuckTerminating, {.ahead_of = kPodWeight}},
    // A spot node that went away was most likely reclaimed.
    {"spot-node", kRead, IsOfSpotNode, {.ahead_of_strongest = true}},
    // DeactivationTarget states the reason; Evicted only says Deactivated.
    {"deactivation", kRead, IsDeactivation, {.ahead_of = kQueueWeight}},
    // The Job controller's message shows which kind of rule matched.
    {"pod-failure-rule", kRead, IsPodFailureRule, {.as_its_row = true}},
    // A text about creation refines a state; it does not outrank it.
    {"sure-of-creation",
     kRead,
     IsSureOfCreation,
     {.tier = kDecisive, .ahead_of = kOperatorWeight}},
    {"vague-of-creation",
     kRead,
     IsVagueOfCreation,
     {.tier = kSpecific, .ahead_of = kOperatorWeight}},
    // Queues and operators only know pods indirectly.
    {"life-by-hearsay", kRead, IsIndirectLifeSign, kBeMedium},
    // Nothing has failed yet, as far as the warnings are understood.
    {"start-beside-warning", kRead, IsStartDespiteWarning, kBeLow},
    {"start-at-unknown-time", kRead, IsStartAtUnknownTime, kBeMedium},
    {"exit-alone", kRead, IsExitAlone, {.tier = kDecisive}},
    {"succeeded-by-phase",
     kRead,
     SucceededByPhase,
     {.tier = kDecisive, .ahead_of = kQueueWeight}},
    {"succeeded-in-failed-pod", kRead, SucceededInFailedPod, kBeMedium},

    // A launcher has an exit code of its own: make 2, cargo 101.
    {"code-of-launcher", kCode, IsCodeOfLauncher, {.tier = kGeneric}},

    {"last-state-tells", kSameObject, LastStateExplains,
     Out("how the container fails is in its last state")},
    {"no-call", kSameObject, BuildWasAnswered,
     Out("the code is that of a call")},
    // Texts such as "not found" are weaker than a code or reason next to them.
    {"vague-answer", kSameObject, IsVagueAnswer, {.tier = kSpecific}},
    {"reason-beside-words",
     kSameObject,
     MessageRefinesReason,
     {.tier = kSpecific, .why_not = "the message says more than the reason"}},
    {"code-beside-words",
     kSameObject,
     MessageRefinesCode,
     {.tier = kSpecific, .why_not = "the message says more than the code"}},
    {"answer", kSameObject, IsOfAnswer, kAsItIs},
    // The message has its own meaning; a disruption's reason is broader.
    {"read-by-its-words",
     kSameObject,
     IsRowOfMessage,
     {.tier = kDecisive, .as_its_row = true}},
    // Evicted together with a disruption means node pressure.
    {"pod-reason-beside", kSameObject, HasPodReason, kBeHigh},
    {"why-unscheduled", kSameObject, SaysWhyUnscheduled, {.as_message = true}},
    // A message is more specific than its reason.
    {"message-says-more", kSameObject, MessageSaysMore, {.tier = kConvention}},
    // The reason of an earlier shutdown remains when the pod comes back.
    {"reason-of-running-pod", kSameObject, IsReasonOfRunningPod, kBeMedium},
    {"device-at-another-time", kSameObject, IsDeviceAtAnotherTime,
     Out("the device failed at another time")},

    {"quota-in-vague-words", kQuota, IsRowOfMessage, {.tier = kDecisive}},
    // A Forbidden that reports a quota does not refuse the object.
    {"refusal-for-quota", kQuota, IsRefusal, {.tier = kSpecific}},

    {"code-of-no-error", kTrust, IsCodeOfNoError, kAtMostLow},
    {"code-without-call", kTrust, IsCodeWithoutCall, kAtMostMedium},

    {"helped-completed-work", kContainer, HelpedCompletedWork,
     Out("helpers do not fail work that has completed")},
    {"still-at-work", kContainer, IsStillAtWork,
     Out("the pod is being stopped, and still at work")},
    {"another-decides", kContainer, AnotherDecides,
     Out("another container of the pod decides")},
    // The missing object is more specific than the container that missed it.
    {"init-misses-something",
     kContainer,
     InitMissesSomething,
     {.tier = kGeneric}},
    // For an init container, exit 2 or 65 says less than its role.
    {"convention-of-init", kContainer, IsConventionOfInit, {.tier = kGeneric}},

    {"run-before", kRun, IsOfTheRunBefore,
     Out("that run of the container is over")},

    {"hint-of-pod", kPod, DecidesNothing, kAsItIs},
    // The owner that deletes the pod states the reason.
    {"cleaned-up", kPod, IsCleanUp,
     Out("its owner had failed, or starts again, and cleaned up")},
    {"pod-runs", kPod, PassesAsPodRuns, Out("the pod is running")},
    {"pod-starts", kPod, PassesAsPodStarts, Out("the pod is starting")},
    // A restarting kubelet may refuse pods that have finished.
    {"refused-when-done", kPod, RefusedWhenDone,
     Out("the container had ended well before")},
    // During its grace period a program may answer SIGTERM with any exit.
    {"deletion-answered", kPod, DeletionWasAnswered, kBeLow},
    // The same holds after a failed probe.
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

    // With a failing pod, only a queue's events about other objects matter.
    {"beside-failed-pod", kEvents, IsAboutAnotherObject,
     Out("the event is about another object")},
    {"hint-of-event", kEvents, DecidesNothing, kAsItIs},
    // Events about other objects or earlier times do not break work that runs
    // or has succeeded.
    {"work-goes-on", kEvents, WorkGoesOn, Out("the work goes on")},
    {"replaced", kEvents, WasReplaced,
     Out("a pod has taken the place of the one that is gone")},
    {"created-after-all", kEvents, WasCreatedAfterAll,
     Out("the pods were created after all")},

    {"hint-of-object", kObjects, DecidesNothing, kAsItIs},
    // A part that succeeds does not end the work.
    {"part-succeeded", kObjects, OnlyAPartSucceeded,
     Out("a part succeeded, the workload itself has not")},
    {"part-ended-well", kObjects, PartEndedWell,
     Out("the pod ended well all the same")},
    // A time to live or clean-up deletes it.
    {"deleted-after-failure", kObjects, DeletedAfterFailure,
     Out("it had failed for good before it was deleted")},
    {"suspended-after-failure", kObjects, SuspendedAfterFailure,
     Out("what has failed for good is not resumed")},
    // A queue suspends work to hold it; its Workload's reason counts instead.
    {"suspended-by-queue", kObjects, SuspendedByQueue,
     Out("the queue suspends what it does not admit")},
    // A deadline that passed while pods could never start is not the cause.
    {"deadline-without-start", kObjects, DeadlineWithoutStart,
     Out("it passed because no pod could start")},
    {"not-against-failed-pod", kObjects, IsNotAgainstFailedPod, kAsItIs},
    {"from-above-after-the-end", kObjects, CameFromAboveAfterTheEnd,
     Out("it happened after the container had ended")},
    {"end-explains-itself-below", kObjects, EndExplainsItself,
     Out("the container ended by itself")},

    // No time is left for the problem to pass.
    {"deadline-while-starting", kMembers, DeadlineWhileStarting,
     Out("the deadline passed while it waited to start")},
    // Members that still run have not succeeded.
    {"others-have-not-succeeded", kMembers, OthersHaveNotSucceeded,
     Out("other pods have not succeeded yet")},
    // Some pods succeeded but the workload failed: the failed pods are gone.
    {"workload-failed", kMembers, WorkloadFailed,
     Out("the workload failed although this pod succeeded")},

    {"root-elsewhere", kSure, RootIsElsewhere, kBeLow},
    // A container cannot be in two states at once.
    {"two-states", kSure, ContainerIsInTwoStates, kAtMostMedium},

    // The taint manager removes the pods of unresponsive nodes; people and
    // autoscalers set other taints. A reclaimed machine becomes unresponsive
    // too.
    {"taken-back-behind-taint",
     kReplace,
     TakenBackBehindTaint,
     {.as_its_row = true, .why_not = ""}},
    // The taint manager agrees with the report of the lost node.
    {"lost-behind-taint",
     kReplace,
     LostBehindTaint,
     {.as_its_row = true, .agrees = true, .why_not = ""}},
    // The missing secret may be the one that a pull without a reason needs.
    {"denied-behind-pull", kReplace, DeniedBehindPull, kBeLow},

    // The report is direct evidence; hints are not.
    {"hint-beside-named", kOthers, ContradictsNamedCause,
     Out("what the report itself names comes first")},
    {"hint-less-sure", kOthers, IsLessSure,
     Out("the report is surer of something else")},
    {"hint", kOthers, IsHint, {.tier = kConvention, .at_most = kMedium}},

    {"says-failure-too", kSuccess, SaysFailureToo, kBeLow},
    {"pod-says-failure", kSuccess, PodSaysFailure, kAtMostMedium},
};

}  // namespace table

using table::kRules;

constexpr std::size_t kRounds = static_cast<std::size_t>(Round::kSuccess) + 1;

// Where the rules of each round begin; a round's rules are adjacent.
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
  for (const Rule& rule : RulesOf(Round::kReplace)) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!rule.holds(facts[i], scene)) continue;
      Apply(rule.worth, scene, facts[i]);
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace mulligan::demystify
