#include "policy/demystify/weighing/object_conditions.h"

#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/scene.h"

namespace mulligan::demystify {
namespace {

using F = const Candidate&;
using S = const Scene&;

bool IsOfOwner(Root root) {
  return root != Root::kPods && root != Root::kEvents && root != Root::kNodes &&
         root != Root::kWorkload;
}

bool IsAboutCreation(v1::Cause cause) {
  return cause == v1::API_TRANSIENT || cause == v1::CREATE_REJECTED ||
         cause == v1::CREATE_CONFLICT || cause == v1::QUOTA_EXCEEDED;
}

bool IsPassing(v1::Cause cause) {
  return cause == v1::API_TRANSIENT || cause == v1::CREATE_CONFLICT;
}

}  // namespace

bool IsAboutAnotherObject(F fact, S scene) {
  return scene.fails && !fact.HasWeight(kQueueWeight);
}

bool WorkGoesOn(F fact, S scene) {
  return scene.work_goes_on && !fact.HasWeight(kQueueWeight);
}

bool WasReplaced(F, S scene) { return scene.has_successor; }

bool WasCreatedAfterAll(F fact, S scene) {
  return (scene.has_active && IsAboutCreation(fact.cause)) ||
         (scene.has_run && IsPassing(fact.cause));
}

bool OnlyAPartSucceeded(F fact, S scene) {
  return scene.has_not_succeeded && fact.cause == v1::SUCCEEDED &&
         !scene.by_whole;
}

// Only while the work goes on; later, the pod's end may be the reason.
bool PartEndedWell(F fact, S scene) {
  return scene.has_not_succeeded && scene.part_succeeded && !scene.gave_up &&
         !scene.fails && fact.decides() && !scene.of_objects;
}

bool DeletedAfterFailure(F fact, S scene) {
  return scene.gave_up && fact.row == &sign::kObjectDeleted &&
         !Before(fact.at, scene.failed_since);
}

bool SuspendedAfterFailure(F fact, S scene) {
  return scene.gave_up && fact.cause == v1::SUSPENDED;
}

bool SuspendedByQueue(F fact, S scene) {
  return scene.queue_says && !scene.gave_up && fact.cause == v1::SUSPENDED &&
         IsOfOwner(fact.place.root);
}

bool DeadlineWithoutStart(F fact, S scene) {
  return scene.kept_from_starting && fact.cause == v1::DEADLINE_JOB;
}

bool IsNotAgainstFailedPod(F fact, S scene) {
  return !scene.of_objects || !scene.fails || IsOutcome(fact);
}

bool CameFromAboveAfterTheEnd(F fact, S scene) {
  return fact.order <= 2 * kQueueWeight && scene.state.end != End::kClean &&
         Before(scene.state.finished_at, fact.at);
}

bool DeadlineWhileStarting(F fact, S scene) {
  return scene.deadline_passed && !scene.state.started &&
         scene.state.end == End::kNone &&
         scene.state.phase == Phase::kPending && fact.decides();
}

bool OthersHaveNotSucceeded(F, S scene) {
  return !scene.fails && scene.others_live;
}

bool WorkloadFailed(F fact, S scene) {
  return !scene.fails && scene.workload_failed && fact.cause == v1::SUCCEEDED;
}

}  // namespace mulligan::demystify
