#include "tests/policy/demystify/weighing_cases.h"

#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

using S = Setting&;

// Previous answers: by a reason that Kubernetes sets, and by an exit code.
const Candidate kSure = [] {
  Candidate fact = MakeCandidate("reason", kSomeRow, {}, "OOMKilled");
  fact.tier = Tier::kDecisive;
  return fact;
}();
const Candidate kUnsure = [] {
  Candidate fact = MakeCandidate("exit-code", kSomeRow, {}, "");
  fact.tier = Tier::kGeneric;
  return fact;
}();

constexpr RuleCase kRuleCases[] = {
    {"users-own", [](S s) { s.fact.table = ""; },
     [](S s) { s.fact.table = "text"; }},
    {"read-by-users-own", [](S s) { s.scene.users_own = true; },
     [](S s) { s.scene.users_own = false; }},
    {"device-fault",
     [](S s) {
       s.BeOf(v1::GPU_FAULT);
       s.scene.of_device = true;
     },
     [](S s) { s.fact.cause = v1::APP_ERROR; }},
    {"stuck-terminating", [](S s) { s.Be(sign::kStuckTerminating); },
     [](S s) { s.Be(sign::kDeletionRequested); }},
    {"spot-node", [](S s) { s.Be(sign::kSpotNodeShutdown); },
     [](S s) { s.Be(sign::kNodeDeleted); }},
    {"deactivation", [](S s) { s.scene.condition = "DeactivationTarget"; },
     [](S s) { s.scene.condition = "Evicted"; }},
    {"pod-failure-rule", [](S s) { s.Be(sign::kPolicyDisruption); },
     [](S s) { s.Be(sign::kObjectDeleted); }},
    {"sure-of-creation",
     [](S s) {
       s.fact.table = CreationTexts().name();
       s.fact.confidence = kHigh;
     },
     [](S s) { s.fact.confidence = kMedium; }},
    {"vague-of-creation", [](S s) { s.fact.table = CreationTexts().name(); },
     [](S s) { s.fact.table = OperatorTexts().name(); }},
    {"life-by-hearsay",
     [](S s) {
       s.ComeFrom(Root::kWorkload);
       s.Be(sign::kObjectAlive);
     },
     [](S s) { s.scene.runs = true; }},
    {"start-beside-warning",
     [](S s) {
       s.Be(sign::kPodStarting);
       s.scene.warned = true;
     },
     [](S s) { s.scene.warned = false; }},
    {"start-at-unknown-time", [](S s) { s.Be(sign::kPodStarting); },
     [](S s) { s.fact.at = 1; }},
    {"exit-alone", [](S s) { s.ComeFrom(Root::kExit); },
     [](S s) { s.ComeFrom(Root::kPods); }},
    {"succeeded-by-phase",
     [](S s) {
       s.Be(sign::kWorkloadPodSucceeded);
       s.state.phase = Phase::kSucceeded;
     },
     [](S s) { s.state.phase = Phase::kRunning; }},
    {"succeeded-in-failed-pod",
     [](S s) {
       s.Be(sign::kWorkloadPodSucceeded);
       s.state.phase = Phase::kFailed;
     },
     [](S s) { s.state.phase = Phase::kRunning; }},

    {"code-of-launcher",
     [](S s) {
       s.Be(FindExitCode(2, ExitContext::kAny));
       s.row.cause = v1::SIGKILL_UNEXPLAINED;
       s.scene.message = &s.row;
     },
     [](S s) { s.Be(FindExitCode(124, ExitContext::kAny)); }},

    {"last-state-tells", [](S s) { s.scene.has_last_state = true; },
     [](S s) { s.scene.has_last_state = false; }},
    {"no-call",
     [](S s) {
       s.Be(BuildFailure());
       s.scene.http_code = 403;
     },
     [](S s) { s.scene.http_code = 200; }},
    {"vague-answer",
     [](S s) {
       s.scene.is_answer = true;
       s.scene.message = s.fact.row;
     },
     [](S s) { s.fact.confidence = kHigh; }},
    {"reason-beside-words",
     [](S s) {
       s.fact.place.leaf = ".reason";
       s.scene.is_answer = true;
       s.scene.message = &kOtherRow;
     },
     [](S s) { s.fact.cause = kOtherRow.cause; }},
    {"code-beside-words",
     [](S s) {
       s.fact.place.leaf = ".httpCode";
       s.scene.is_answer = true;
       s.scene.message = &kOtherRow;
     },
     [](S s) { s.scene.message = nullptr; }},
    {"answer", [](S s) { s.scene.is_answer = true; },
     [](S s) { s.scene.is_answer = false; }},
    {"read-by-its-words", [](S s) { s.scene.message = s.fact.row; },
     [](S s) { s.scene.message = &kOtherRow; }},
    {"pod-reason-beside", [](S s) { s.scene.reason = &kOtherRow; },
     [](S s) { s.scene.reason = nullptr; }},
    {"why-unscheduled",
     [](S s) {
       s.Be(sign::kUnschedulable);
       s.scene.message = &kOtherRow;
     },
     [](S s) { s.Be(sign::kSchedulingGated); }},
    {"message-says-more", [](S s) { s.scene.message = &kOtherRow; },
     [](S s) {
       s.fact.confidence = kHigh;
       s.fact.cause = kOtherRow.cause;
     }},
    {"reason-of-running-pod",
     [](S s) {
       s.state.phase = Phase::kRunning;
       s.fact.table = "pod-reason";
       s.fact.confidence = kHigh;
     },
     [](S s) { s.state.phase = Phase::kFailed; }},
    {"device-at-another-time",
     [](S s) {
       s.scene.of_device = true;
       s.state.end = End::kOwn;
       s.state.finished_at = 5000;
       s.fact.at = 1000;
     },
     [](S s) { s.fact.at = 4990; }},

    {"quota-in-vague-words", [](S s) { s.scene.message = s.fact.row; },
     [](S s) { s.scene.message = &kOtherRow; }},
    {"refusal-for-quota", [](S s) { s.BeOf(v1::CREATE_REJECTED); },
     [](S s) { s.fact.tier = Tier::kHint; }},

    {"code-of-no-error", [](S s) { s.scene.http_code = 200; },
     [](S s) { s.scene.http_code = 400; }},
    {"code-without-call",
     [](S s) {
       s.scene.http_code = 403;
       s.scene.of_build = true;
     },
     [](S s) { s.scene.http_code = 0; }},

    {"helped-completed-work",
     [](S s) {
       s.scene.is_helper = true;
       s.state.end = End::kClean;
     },
     [](S s) { s.scene.is_helper = false; }},
    {"still-at-work", [](S s) { s.state.end = End::kNone; },
     [](S s) { s.state.end = End::kKilled; }},
    {"another-decides",
     [](S s) {
       s.state.end = End::kOwn;
       s.fact.tier = Tier::kConvention;
     },
     [](S s) { s.fact.tier = Tier::kSpecific; }},
    {"init-misses-something",
     [](S s) {
       s.Be(sign::kInitFailed);
       s.state.end = End::kOwn;
       s.scene.is_primary = true;
       s.scene.code = 127;
     },
     [](S s) { s.scene.code = 1; }},
    {"convention-of-init",
     [](S s) {
       s.fact.tier = Tier::kConvention;
       s.state.end = End::kOwn;
       s.scene.is_primary = true;
       s.scene.is_init = true;
       s.scene.code = 2;
     },
     [](S s) { s.scene.code = 126; }},

    {"run-before",
     [](S s) {
       s.fact.at = 1000;
       s.state.finished_at = 1000;
     },
     [](S s) { s.fact.at = 1001; }},

    {"hint-of-pod", [](S s) { s.fact.tier = Tier::kHint; },
     [](S s) { s.fact.tier = Tier::kGeneric; }},
    {"cleaned-up",
     [](S s) {
       s.Be(sign::kDeletionRequested);
       s.state.cleaned_up = true;
     },
     [](S s) { s.state.cleaned_up = false; }},
    {"pod-runs",
     [](S s) {
       s.scene.runs = true;
       s.ComeFrom(Root::kEvents);
     },
     [](S s) { s.ComeFrom(Root::kPods); }},
    {"pod-starts",
     [](S s) {
       s.scene.starts = true;
       s.scene.now = 1000;
       s.ComeFrom(Root::kNodes);
       s.fact.at = 900;
     },
     [](S s) { s.fact.at = 600; }},
    {"refused-when-done",
     [](S s) {
       s.BeOf(v1::DEVICE_ADMISSION);
       s.state.end = End::kClean;
     },
     [](S s) { s.state.end = End::kOwn; }},
    {"deletion-answered",
     [](S s) {
       s.Be(sign::kDeletionRequested);
       s.fact.at = 1000;
       s.state.end = End::kOwn;
       s.state.finished_at = 1020;
       s.scene.deletion_grace = 30;
       s.scene.deletion_ends = 1030;
     },
     [](S s) { s.state.finished_at = 2000; }},
    {"probe-answered",
     [](S s) {
       s.BeOf(v1::PROBE_KILLED);
       s.ExplainUnclearEnds();
       s.fact.tier = Tier::kDecisive;
       s.state.end = End::kOwn;
     },
     [](S s) {
       static const Candidate error =
           MakeCandidate("text", kSomeRow, {Root::kPods}, "");
       s.scene.facts = std::span(&error, 1);
     }},
    {"end-explains-itself",
     [](S s) {
       s.ExplainUnclearEnds();
       s.state.end = End::kOwn;
     },
     [](S s) { s.state.end = End::kKilled; }},
    {"not-its-own-end",
     [](S s) { s.fact.flags = kOwnEndOnly, s.state.end = End::kKilled; },
     [](S s) { s.state.end = End::kOwn; }},
    {"no-end-to-explain",
     [](S s) {
       s.ExplainUnclearEnds();
       s.fact.tier = Tier::kConvention;
       s.state.phase = Phase::kRunning;
     },
     [](S s) { s.state.marked = 1000; }},
    {"after-the-end",
     [](S s) {
       s.ExplainUnclearEnds();
       s.state.end = End::kKilled;
       s.state.finished_at = 1000;
       s.fact.at = 1001;
     },
     [](S s) { s.fact.at = 1000; }},
    {"oom-kill-stands",
     [](S s) {
       s.fact.tier = Tier::kDecisive;
       s.fact.order = 2 * kDisruptionWeight;
       s.scene.oom_killed = true;
     },
     [](S s) { s.fact.cause = v1::NODE_PRESSURE_EVICTED; }},

    {"beside-failed-pod", [](S s) { s.scene.fails = true; },
     [](S s) { s.fact.order = 2 * kQueueWeight; }},
    {"hint-of-event", [](S s) { s.fact.tier = Tier::kHint; },
     [](S s) { s.fact.tier = Tier::kGeneric; }},
    {"work-goes-on", [](S s) { s.scene.work_goes_on = true; },
     [](S s) { s.fact.order = 2 * kQueueWeight; }},
    {"replaced", [](S s) { s.scene.has_successor = true; },
     [](S s) { s.scene.has_successor = false; }},
    {"created-after-all",
     [](S s) {
       s.BeOf(v1::QUOTA_EXCEEDED);
       s.scene.has_active = true;
     },
     [](S s) {
       s.scene.has_active = false;
       s.scene.has_run = true;
     }},

    {"hint-of-object", [](S s) { s.fact.tier = Tier::kHint; },
     [](S s) { s.fact.tier = Tier::kGeneric; }},
    {"part-succeeded",
     [](S s) {
       s.BeOf(v1::SUCCEEDED);
       s.scene.has_not_succeeded = true;
     },
     [](S s) { s.scene.by_whole = true; }},
    {"part-ended-well",
     [](S s) {
       s.scene.has_not_succeeded = true;
       s.scene.part_succeeded = true;
     },
     [](S s) { s.scene.gave_up = true; }},
    {"deleted-after-failure",
     [](S s) {
       s.Be(sign::kObjectDeleted);
       s.fact.at = 5000;
       s.scene.gave_up = true;
       s.scene.failed_since = 5000;
     },
     [](S s) { s.scene.failed_since = 5001; }},
    {"suspended-after-failure",
     [](S s) {
       s.BeOf(v1::SUSPENDED);
       s.scene.gave_up = true;
     },
     [](S s) { s.fact.cause = v1::APP_ERROR; }},
    {"suspended-by-queue",
     [](S s) {
       s.BeOf(v1::SUSPENDED);
       s.ComeFrom(Root::kJobs);
       s.scene.queue_says = true;
     },
     [](S s) { s.ComeFrom(Root::kWorkload); }},
    {"deadline-without-start",
     [](S s) {
       s.BeOf(v1::DEADLINE_JOB);
       s.scene.kept_from_starting = true;
     },
     [](S s) { s.scene.kept_from_starting = false; }},
    {"not-against-failed-pod",
     [](S s) {
       s.scene.of_objects = true;
       s.scene.fails = true;
       s.BeOf(v1::CANCELLED);
     },
     [](S s) { s.fact.cause = v1::APP_ERROR; }},
    {"from-above-after-the-end",
     [](S s) {
       s.scene.of_objects = true;
       s.scene.fails = true;
       s.fact.order = 2 * kQueueWeight;
       s.state.end = End::kOwn;
       s.state.finished_at = 1000;
       s.fact.at = 1001;
     },
     [](S s) { s.state.end = End::kClean; }},
    {"end-explains-itself-below",
     [](S s) {
       s.scene.of_objects = true;
       s.scene.fails = true;
       s.ExplainUnclearEnds();
       s.state.end = End::kOwn;
     },
     [](S s) { s.scene.of_objects = false; }},

    {"deadline-while-starting",
     [](S s) {
       s.state.phase = Phase::kPending;
       s.scene.deadline_passed = true;
     },
     [](S s) { s.state.started = true; }},
    {"others-have-not-succeeded", [](S s) { s.scene.others_live = true; },
     [](S s) { s.scene.fails = true; }},
    {"workload-failed",
     [](S s) {
       s.BeOf(v1::SUCCEEDED);
       s.scene.workload_failed = true;
     },
     [](S s) { s.fact.cause = v1::APP_ERROR; }},

    {"root-elsewhere", [](S s) { s.scene.rootless = true; },
     [](S s) { s.scene.rootless = false; }},
    {"two-states", [](S s) { s.scene.in_two_states = true; },
     [](S s) { s.scene.in_two_states = false; }},

    {"taken-back-behind-taint",
     [](S s) {
       s.BeOf(v1::SPOT_RECLAIMED);
       s.scene.cause = v1::TAINT_EVICTED;
     },
     [](S s) { s.row.tier = Tier::kConvention; }},
    {"lost-behind-taint",
     [](S s) {
       s.BeOf(v1::NODE_LOST);
       s.scene.cause = v1::TAINT_EVICTED;
     },
     [](S s) { s.scene.cause = v1::DRAINED; }},
    {"denied-behind-pull",
     [](S s) {
       s.BeOf(v1::IMAGE_DENIED);
       s.scene.cause = v1::IMAGE_INVALID;
       s.scene.fails = true;
     },
     [](S s) { s.scene.confidence = kMedium; }},

    {"hint-beside-named",
     [](S s) {
       s.BeOf(v1::GPU_FAULT);
       s.scene.strongest = &kSure;
       s.scene.cause = v1::CONTAINER_OOM;
     },
     [](S s) { s.scene.cause = v1::GPU_FAULT; }},
    {"hint-less-sure",
     [](S s) {
       s.BeOf(v1::GPU_FAULT);
       s.scene.strongest = &kUnsure;
       s.scene.cause = v1::APP_ERROR;
       s.scene.confidence = kHigh;
     },
     [](S s) { s.scene.confidence = kMedium; }},
    {"hint",
     [](S s) {
       s.ComeFrom(Root::kHints);
       s.BeOf(v1::GPU_FAULT);
       s.scene.strongest = &kUnsure;
       s.scene.cause = v1::APP_ERROR;
     },
     [](S s) { s.ComeFrom(Root::kPods); }},

    {"says-failure-too", [](S s) { s.scene.says_failure = true; },
     [](S s) { s.scene.says_failure = false; }},
    {"pod-says-failure", [](S s) { s.scene.pod_says_failure = true; },
     [](S s) { s.scene.says_failure = true; }},
};

}  // namespace

std::span<const RuleCase> RuleCases() { return kRuleCases; }

}  // namespace mulligan::demystify
