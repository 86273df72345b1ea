#include "policy/operators/trainjob/reconcile.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/trainjob/conditions.h"
#include "policy/operators/trainjob/deadline.h"

namespace mulligan::trainjob {
namespace {

void DropFailed(TrainJobStatus& status) {
  auto& conditions = *status.mutable_conditions();
  const auto end = std::remove_if(
      conditions.begin(), conditions.end(), [](const Condition& condition) {
        return condition.type() == kFailed &&
               condition.reason() != kDeadlineExceeded;
      });
  conditions.erase(end, conditions.end());
}

bool AppliesJobSet(const Scene& scene) {
  return scene.job_set == nullptr || scene.train_job.spec().suspend() ||
         scene.job_set->spec().suspend();
}

void MakeObjects(const Scene& scene, Pass& pass) {
  if (scene.objects != Objects::kReady) {
    pass.error = scene.error;
    pass.event = ResourcesFailedMessage(scene.error);
    return;
  }
  if (AppliesJobSet(scene)) pass.job_set = JobSetChange::kApplied;
}

void CopyStatus(const Scene& scene, Pass& pass) {
  if (scene.job_set != nullptr) {
    CopyJobSetStatus(*scene.job_set, scene.now, pass.status);
    return;
  }
  const bool is_there =
      pass.job_set == JobSetChange::kApplied || IsFinished(pass.status);
  if (!is_there && pass.error.empty()) {
    pass.error =
        absl::StrCat("jobsets.jobset.x-k8s.io \"",
                     scene.train_job.metadata().name(), "\" not found");
  }
}

void CheckDeadline(const Scene& scene, Pass& pass) {
  const auto failed = DeadlineCondition(
      scene.train_job.spec(), pass.status,
      scene.train_job.metadata().creation_timestamp(), scene.now);
  if (!failed.has_value()) return;
  SetCondition(*failed, scene.now, *pass.status.mutable_conditions());
  pass.job_set = JobSetChange::kDeleted;
}

}  // namespace

Pass Reconcile(const Scene& scene) {
  const TrainJobSpec& spec = scene.train_job.spec();
  Pass pass;
  pass.status = scene.train_job.status();
  if (IsManagedByOther(spec)) return pass;
  auto& conditions = *pass.status.mutable_conditions();
  if (!scene.version.failed_is_final) DropFailed(pass.status);
  const bool supported = IsRuntimeSupported(spec.runtime_ref());
  const bool was_finished = IsFinished(pass.status);
  if (!supported) {
    pass.error = absl::StrCat("unsupported runtime: ",
                              RuntimeKindOf(spec.runtime_ref()));
    SetCondition(
        MakeCondition(kFailed, kTrue, kRuntimeNotSupported, pass.error),
        scene.now, conditions);
  } else if (!was_finished) {
    MakeObjects(scene, pass);
  }
  SetSuspended(spec.suspend(), scene.version.created_condition, scene.now,
               conditions);
  if (scene.version.created_condition && supported && !was_finished) {
    SetCondition(CreatedCondition(scene.objects), scene.now, conditions);
  }
  if (!supported) return pass;
  CopyStatus(scene, pass);
  CheckDeadline(scene, pass);
  return pass;
}

}  // namespace mulligan::trainjob
