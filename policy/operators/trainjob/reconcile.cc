#include "policy/operators/trainjob/reconcile.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/operators/jobset/objects.h"
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

void CheckDeadline(const Scene& scene, TrainJobStatus& status) {
  if (scene.version.first_release) return;
  const auto failed = DeadlineCondition(
      scene.train_job.spec(), status,
      scene.train_job.metadata().creation_timestamp(), scene.now);
  if (!failed.has_value()) return;
  SetCondition(*failed, scene.now, *status.mutable_conditions());
}

}  // namespace

Pass Reconcile(const Scene& scene) {
  const TrainJobSpec& spec = scene.train_job.spec();
  Pass pass;
  pass.status = scene.train_job.status();
  if (IsManagedByOther(spec, scene.version)) return pass;
  if (scene.version.first_release && IsFinished(pass.status)) return pass;
  auto& conditions = *pass.status.mutable_conditions();
  if (!scene.version.failed_is_final) DropFailed(pass.status);
  const bool supported = IsRuntimeSupported(spec.runtime_ref());
  const bool was_finished = IsFinished(pass.status);
  if (!supported) {
    SetCondition(MakeCondition(kFailed, kTrue, kRuntimeNotSupported,
                               absl::StrCat("unsupported runtime: ",
                                            RuntimeKindOf(spec.runtime_ref()))),
                 scene.now, conditions);
  } else if (!was_finished && scene.objects != Objects::kReady) {
    pass.event = ResourcesFailedMessage(scene.error);
  } else if (!was_finished) {
    pass.applies_job_set = AppliesJobSet(scene);
  }
  SetSuspended(spec.suspend(), scene.version.created_condition, scene.now,
               conditions);
  if (scene.version.created_condition && supported && !was_finished) {
    SetCondition(CreatedCondition(scene.objects), scene.now, conditions);
  }
  if (!supported) return pass;
  if (scene.job_set != nullptr) {
    CopyJobSetStatus(*scene.job_set, scene.version, scene.now, pass.status);
  }
  CheckDeadline(scene, pass.status);
  return pass;
}

}  // namespace mulligan::trainjob
