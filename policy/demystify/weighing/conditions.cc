#include "policy/demystify/weighing/conditions.h"

#include <algorithm>
#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {
namespace {

using F = const Candidate&;
using S = const Scene&;

// Seconds that kubelet and node controller may take to report a node's trouble.
constexpr Seconds kNodeReportDelay = 60;

bool ExplainsUnclearEnd(F fact) { return (fact.flags & kUnclearEndOnly) != 0; }

// Returns true for events about a live pod, and for node trouble that may pass.
bool MayPass(F fact, S scene) {
  if (fact.place.root == Root::kEvents) return true;
  return fact.place.root == Root::kNodes &&
         !(Known(fact.at) && Before(fact.at + kNodePatience, scene.now));
}

// Returns whether the fact is node trouble shortly before the pod's deletion.
bool ExplainsDeletion(F fact, S scene) {
  return fact.HasWeight(kDisruptionWeight) && Known(fact.at) &&
         Known(scene.deletion_requested) &&
         fact.at <= scene.deletion_requested &&
         scene.deletion_requested <= fact.at + kNodeLossSeenAfter;
}

// Returns whether the container or its log names the failure.
bool NamesItsError(S scene) {
  return std::ranges::any_of(scene.facts, [](F fact) {
    return fact.decides() && fact.place.root == Root::kPods &&
           fact.tier >= Tier::kSpecific && fact.cause != v1::PROBE_KILLED;
  });
}

// Returns whether nothing shows that the pod ended or cannot run.
bool Lives(const PodState& state) {
  return state.end == End::kNone && !state.blocked && !state.looping &&
         !Known(state.marked) &&
         (state.phase == Phase::kRunning || state.phase == Phase::kPending);
}

// Returns whether the message shows that the call may keep failing.
bool MayLast(const Signature& words) {
  return words.outlook == v1::Diagnosis::MAY_RECOVER;
}

// Returns whether the fact is this field of an answer whose message names
// another cause or a lasting one.
bool MessageRefines(F fact, S scene, std::string_view field) {
  return scene.is_answer && scene.message != nullptr &&
         fact.row != scene.message && field == fact.place.leaf &&
         (MayLast(*scene.message) || (scene.message->confidence == kHigh &&
                                      fact.cause != scene.message->cause));
}

bool IsSucceeded(F fact, Phase phase, S scene) {
  return fact.row == &sign::kWorkloadPodSucceeded && scene.state.phase == phase;
}

bool IsBehindTaint(F fact, v1::Cause cause, S scene) {
  return scene.cause == v1::TAINT_EVICTED && fact.row != nullptr &&
         fact.row->cause == cause && fact.row->tier >= Tier::kSpecific;
}

}  // namespace

bool DecidesNothing(F fact, S) { return !fact.decides(); }

bool IsUserSignature(F fact, S) { return fact.table.empty(); }

bool MatchesUserSignature(F, S scene) { return scene.users_own; }

bool IsDeviceFault(F fact, S scene) {
  return scene.of_device && IsOfDevice(fact.cause);
}

bool IsStuckTerminating(F fact, S) {
  return fact.row == &sign::kStuckTerminating;
}

bool IsOfSpotNode(F fact, S) { return fact.row == &sign::kSpotNodeShutdown; }

bool IsDeactivation(F, S scene) {
  return scene.condition == "DeactivationTarget";
}

bool IsPodFailureRule(F fact, S) {
  return fact.row == &sign::kPolicyDisruption ||
         fact.row == &sign::kPolicyCondition;
}

bool IsSureOfCreation(F fact, S scene) {
  return IsVagueOfCreation(fact, scene) && fact.confidence == kHigh;
}

bool IsVagueOfCreation(F fact, S) {
  return fact.table == CreationTexts().name();
}

bool IsIndirectLifeSign(F fact, S scene) {
  const Root root = fact.place.root;
  return fact.row == &sign::kObjectAlive && !scene.runs &&
         (root == Root::kWorkload || root == Root::kOwner);
}

bool IsStartDespiteWarning(F fact, S scene) {
  return fact.row == &sign::kPodStarting && scene.warned;
}

bool IsStartAtUnknownTime(F fact, S) {
  return fact.row == &sign::kPodStarting && !Known(fact.at);
}

bool IsExitAlone(F fact, S) { return fact.place.root == Root::kExit; }

bool SucceededByPhase(F fact, S scene) {
  return IsSucceeded(fact, Phase::kSucceeded, scene);
}

bool SucceededInFailedPod(F fact, S scene) {
  return IsSucceeded(fact, Phase::kFailed, scene);
}

// The log shows that a signal ended a process, and the code only suggests
// another cause. timeout(1) kills on purpose, so its code counts.
bool IsCodeOfLauncher(F fact, S scene) {
  return scene.message != nullptr && fact.tier == Tier::kConvention &&
         fact.confidence == kLow && fact.cause != v1::DEADLINE_POD &&
         (scene.message->cause == v1::SIGKILL_UNEXPLAINED ||
          scene.message->cause == v1::CRASH_SIGNAL);
}

bool LastStateExplains(F, S scene) { return scene.has_last_state; }

bool BuildWasAnswered(F fact, S scene) {
  return fact.row == &BuildFailure() && IsErrorCode(scene.http_code);
}

bool IsVagueAnswer(F fact, S scene) {
  return scene.is_answer && fact.row == scene.message &&
         fact.confidence != kHigh && !MayLast(*scene.message);
}

bool MessageRefinesReason(F fact, S scene) {
  return MessageRefines(fact, scene, ".reason");
}

bool MessageRefinesCode(F fact, S scene) {
  return MessageRefines(fact, scene, ".httpCode");
}

bool IsOfAnswer(F, S scene) { return scene.is_answer; }

bool IsRowOfMessage(F fact, S scene) {
  return scene.message != nullptr && fact.row == scene.message;
}

bool HasPodReason(F, S scene) { return scene.reason != nullptr; }

bool SaysWhyUnscheduled(F fact, S scene) {
  return scene.message != nullptr &&
         (fact.row == &sign::kUnschedulable || fact.row == &sign::kUnscheduled);
}

bool MessageSaysMore(F fact, S scene) {
  if (scene.message == nullptr) return false;
  // The message of a bare exit may be about anything.
  const bool names_another =
      fact.place.root != Root::kExit && fact.cause != scene.message->cause;
  return fact.confidence != kHigh || names_another;
}

bool IsReasonOfRunningPod(F fact, S scene) {
  return scene.state.phase == Phase::kRunning && fact.table == "pod-reason" &&
         fact.confidence == kHigh && fact.row->key != "NodeLost";
}

bool IsDeviceAtAnotherTime(F fact, S scene) {
  return scene.of_device && scene.state.end == End::kOwn &&
         !IsDeviceOfEnd(scene.state, fact.at);
}

bool IsRefusal(F fact, S) {
  return fact.cause == v1::CREATE_REJECTED && fact.decides();
}

bool IsCodeOfNoError(F, S scene) {
  return scene.http_code != 0 && !IsErrorCode(scene.http_code);
}

bool IsCodeWithoutCall(F, S scene) {
  return scene.http_code != 0 && scene.of_build;
}

bool HelpedCompletedWork(F, S scene) {
  return scene.is_helper && scene.state.end == End::kClean;
}

bool IsStillAtWork(F, S scene) { return scene.state.end == End::kNone; }

bool AnotherDecides(F fact, S scene) {
  return !scene.is_primary && fact.tier <= Tier::kConvention;
}

bool InitMissesSomething(F fact, S scene) {
  return fact.row == &sign::kInitFailed &&
         (scene.code == 126 || scene.code == 127);
}

bool IsConventionOfInit(F fact, S scene) {
  // Codes of shells and signals are informative.
  const bool is_of_shell = scene.code >= 125 && scene.code <= 139;
  return scene.is_primary && scene.is_init && scene.state.end == End::kOwn &&
         fact.row != &sign::kInitFailed && fact.tier == Tier::kConvention &&
         !is_of_shell;
}

bool IsOfTheRunBefore(F fact, S scene) {
  return fact.at == scene.state.finished_at;
}

bool IsCleanUp(F fact, S scene) {
  return fact.row == &sign::kDeletionRequested && scene.state.cleaned_up;
}

bool PassesAsPodRuns(F fact, S scene) {
  return scene.runs && MayPass(fact, scene) && !ExplainsDeletion(fact, scene);
}

bool PassesAsPodStarts(F fact, S scene) {
  return scene.starts && fact.place.root == Root::kNodes &&
         MayPass(fact, scene) && !ExplainsDeletion(fact, scene);
}

bool RefusedWhenDone(F fact, S scene) {
  return fact.cause == v1::DEVICE_ADMISSION && scene.state.end == End::kClean;
}

bool DeletionWasAnswered(F fact, S scene) {
  return fact.row == &sign::kDeletionRequested &&
         scene.state.end == End::kOwn && scene.deletion_grace > 0 &&
         Known(fact.at) && fact.at <= scene.state.finished_at &&
         scene.state.finished_at <= scene.deletion_ends + kNodeReportDelay;
}

bool ProbeWasAnswered(F fact, S scene) {
  return ExplainsUnclearEnd(fact) && scene.state.end == End::kOwn &&
         fact.cause == v1::PROBE_KILLED && fact.tier == Tier::kDecisive &&
         !NamesItsError(scene);
}

bool EndExplainsItself(F fact, S scene) {
  return ExplainsUnclearEnd(fact) && !scene.state.unclear_end();
}

bool EndWasNotItsOwn(F fact, S scene) {
  return (fact.flags & kOwnEndOnly) != 0 && scene.state.end == End::kKilled;
}

bool HasNoEndToExplain(F fact, S scene) {
  return ExplainsUnclearEnd(fact) && fact.tier <= Tier::kConvention &&
         Lives(scene.state);
}

bool CameAfterTheEnd(F fact, S scene) {
  const PodState& state = scene.state;
  const bool is_from_outside =
      fact.order <= 2 * kDisruptionWeight || ExplainsUnclearEnd(fact);
  if (!is_from_outside || state.end == End::kClean) return false;
  if (fact.place.root == Root::kPods || fact.place.root == Root::kWorkload) {
    return Before(state.finished_at, fact.at);
  }
  return Known(state.finished_at) &&
         Before(state.finished_at + kNodeReportDelay, fact.at);
}

// False if the node lacked memory or the pod was being disrupted.
bool YieldsToOomKill(F fact, S scene) {
  if (!scene.oom_killed || fact.cause == v1::CONTAINER_OOM ||
      fact.cause == v1::SUCCEEDED || fact.cause == v1::NODE_PRESSURE_EVICTED ||
      fact.cause == v1::STORAGE_EXHAUSTED || fact.cause == v1::NODE_LOST) {
    return false;
  }
  return fact.tier == Tier::kDecisive && fact.order < 2 * kContainerWeight &&
         !(Known(fact.at) && Known(scene.state.finished_at));
}

bool RootIsElsewhere(F, S scene) { return scene.rootless; }

bool ContainerIsInTwoStates(F, S scene) { return scene.in_two_states; }

bool TakenBackBehindTaint(F fact, S scene) {
  return IsBehindTaint(fact, v1::SPOT_RECLAIMED, scene);
}

bool LostBehindTaint(F fact, S scene) {
  return IsBehindTaint(fact, v1::NODE_LOST, scene);
}

bool DeniedBehindPull(F fact, S scene) {
  return scene.cause == v1::IMAGE_INVALID && scene.confidence == kLow &&
         scene.fails && fact.row != nullptr &&
         fact.row->cause == v1::IMAGE_DENIED;
}

bool ContradictsNamedCause(F fact, S scene) {
  const Candidate* answer = scene.strongest;
  if (answer == nullptr || fact.cause == scene.cause) return false;
  if (IsOutcome(*answer) || answer->cause == v1::SUSPENDED) return true;
  return answer->tier == Tier::kDecisive ||
         (answer->tier == Tier::kSpecific && scene.confidence > kLow);
}

bool IsLessSure(F fact, S scene) {
  return fact.cause != scene.cause &&
         std::min(fact.confidence, kMedium) < scene.confidence;
}

bool IsHint(F fact, S) { return fact.place.root == Root::kHints; }

bool SaysFailureToo(F, S scene) { return scene.says_failure; }

bool PodSaysFailure(F, S scene) { return scene.pod_says_failure; }

}  // namespace mulligan::demystify
