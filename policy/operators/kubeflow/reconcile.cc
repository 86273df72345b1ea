#include "policy/operators/kubeflow/reconcile.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/operators/kubeflow/conditions.h"
#include "policy/operators/kubeflow/limits.h"
#include "policy/operators/kubeflow/status.h"

namespace mulligan::kubeflow {
namespace {

constexpr std::string_view kOperator = "kubeflow.org/training-operator";

std::string Sentence(const Scene& scene, std::string_view what) {
  return absl::StrFormat("%s %s is %s.", scene.kind.name,
                         scene.job.metadata().name(), what);
}

// Pods that still ran have succeeded with the job.
void FinishUp(JobStatus& status) {
  if (!IsConditionTrue(status, kSucceeded)) return;
  for (auto& [type, counts] : *status.mutable_replica_statuses()) {
    counts.set_succeeded(counts.succeeded() + counts.active());
    counts.set_active(0);
  }
}

void Suspend(const Scene& scene, Pass& pass) {
  for (auto& [type, counts] : *pass.status.mutable_replica_statuses()) {
    counts.set_active(0);
  }
  const std::string reason = Reason(scene.kind, kSuspended);
  const std::string message = Sentence(scene, "suspended");
  if (IsConditionTrue(pass.status, kRunning)) {
    SetCondition({kRunning, kFalse, reason, message}, scene.now, pass.status);
  }
  if (!IsConditionTrue(pass.status, kSuspended)) {
    SetCondition({kSuspended, kTrue, reason, message}, scene.now, pass.status);
  }
}

void Resume(const Scene& scene, Pass& pass) {
  if (!IsConditionTrue(pass.status, kSuspended)) return;
  SetCondition({kSuspended, kFalse, Reason(scene.kind, kResumed),
                Sentence(scene, "resumed")},
               scene.now, pass.status);
  *pass.status.mutable_start_time() = scene.now;
}

Limit LimitReached(const Scene& scene, const JobStatus& status) {
  const RunPolicy& policy = scene.job.spec().run_policy();
  if (ExceedsBackoffLimit(policy, status, scene.replicas, scene.pods,
                          scene.version.requeues) ||
      PastBackoffLimit(policy, CountedRestarts(scene.replicas, scene.pods))) {
    return Limit::kBackoff;
  }
  return PastActiveDeadline(policy, status, scene.now) ? Limit::kDeadline
                                                       : Limit::kNone;
}

void GiveUp(const Scene& scene, Pass& pass) {
  // One reason for both; only the message tells them apart.
  const std::string_view why =
      pass.limit == Limit::kBackoff
          ? "it has reached the specified backoff limit"
          : "it was active longer than specified deadline";
  SetCondition({kFailed, kTrue, Reason(scene.kind, kFailed),
                absl::StrFormat("Job %s has failed because %s",
                                scene.job.metadata().name(), why)},
               scene.now, pass.status);
}

}  // namespace

Pass Reconcile(const Scene& scene) {
  Pass pass;
  pass.status = scene.job.status();
  if (IsFinished(pass.status)) {
    FinishUp(pass.status);
    return pass;
  }
  if (scene.job.spec().run_policy().suspend()) {
    Suspend(scene, pass);
    return pass;
  }
  Resume(scene, pass);
  pass.limit = LimitReached(scene, pass.status);
  if (pass.limit != Limit::kNone) {
    GiveUp(scene, pass);
    return pass;
  }
  if (scene.kind.framework == Framework::kMpi) {
    CountMpiPods(scene, pass.status);
  } else {
    for (const auto& [type, spec] : scene.replicas) {
      ReconcileReplica(scene, type, pass.status, pass.restarted);
    }
  }
  UpdateStatus(scene, pass.status);
  return pass;
}

std::optional<std::string> ExternalManager(const RunPolicy& policy) {
  if (!policy.has_managed_by() || policy.managed_by() == kOperator) {
    return std::nullopt;
  }
  return policy.managed_by();
}

}  // namespace mulligan::kubeflow
