// The conditions of the rules that weigh facts (weighing.cc). Each returns
// whether it holds for a fact in its scene. Conditions of the rounds kEvents,
// kObjects and kMembers are in object_conditions.h.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_CONDITIONS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_CONDITIONS_H_

#include "policy/demystify/fact.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {

using Condition = bool(const Candidate& fact, const Scene& scene);

// A fact that is not weighed further.
Condition DecidesNothing;

// Round::kRead.
Condition IsUserSignature;
Condition MatchesUserSignature;
Condition IsDeviceFault;
Condition IsStuckTerminating;
Condition IsOfSpotNode;
Condition IsDeactivation;
Condition IsPodFailureRule;
Condition IsSureOfCreation;
Condition IsVagueOfCreation;
Condition IsIndirectLifeSign;
Condition IsStartDespiteWarning;
Condition IsStartAtUnknownTime;
Condition IsExitAlone;
Condition SucceededByPhase;
Condition SucceededInFailedPod;

// Round::kCode.
Condition IsCodeOfLauncher;

// Round::kSameObject.
Condition LastStateExplains;
Condition BuildWasAnswered;
Condition IsVagueAnswer;
Condition MessageRefinesReason;
Condition MessageRefinesCode;
Condition IsOfAnswer;
Condition IsRowOfMessage;
Condition HasPodReason;
Condition SaysWhyUnscheduled;
Condition MessageSaysMore;
Condition IsReasonOfRunningPod;
Condition IsDeviceAtAnotherTime;

// Round::kQuota and kTrust.
Condition IsRefusal;
Condition IsCodeOfNoError;
Condition IsCodeWithoutCall;

// Round::kContainer and kRun.
Condition HelpedCompletedWork;
Condition IsStillAtWork;
Condition AnotherDecides;
Condition InitMissesSomething;
Condition IsConventionOfInit;
Condition IsOfTheRunBefore;

// Round::kPod.
Condition IsCleanUp;
Condition PassesAsPodRuns;
Condition PassesAsPodStarts;
Condition RefusedWhenDone;
Condition DeletionWasAnswered;
Condition ProbeWasAnswered;
Condition EndExplainsItself;
Condition EndWasNotItsOwn;
Condition HasNoEndToExplain;
Condition CameAfterTheEnd;
Condition YieldsToOomKill;

// Round::kSure, kReplace and kSuccess.
Condition RootIsElsewhere;
Condition ContainerIsInTwoStates;
Condition TakenBackBehindTaint;
Condition LostBehindTaint;
Condition DeniedBehindPull;
Condition ContradictsNamedCause;
Condition IsLessSure;
Condition IsHint;
Condition SaysFailureToo;
Condition PodSaysFailure;

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WEIGHING_CONDITIONS_H_
