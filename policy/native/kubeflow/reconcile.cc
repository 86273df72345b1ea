#include "policy/native/kubeflow/reconcile.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"

namespace mulligan::kubeflow {
namespace {

// The second check of backoffLimit: a pod failed since the status was written,
// not all replicas are active, and the work queue has repeated the job
// (excluding this pass) as often as the limit says.
bool ExceedsBackoffLimit(const Observed& observed, const JobStatus& status) {
  const RunPolicy& policy = observed.job.spec().run_policy();
  if (!policy.has_backoff_limit()) return false;
  std::int64_t known = 0;
  for (const auto& [type, counts] : status.replica_statuses()) {
    known += counts.failed();
  }
  std::int64_t wanted = 0;
  for (const auto& [type, spec] : observed.replicas) wanted += spec.replicas();
  const auto failed = std::ranges::count_if(
      observed.pods, [](const Pod& pod) { return HasPhase(pod, "Failed"); });
  const auto active = std::ranges::count_if(observed.pods, IsPodActive);
  return failed > known && active != wanted &&
         observed.version.requeues >= policy.backoff_limit();
}

bool PastActiveDeadline(const Observed& observed, const JobStatus& status) {
  const RunPolicy& policy = observed.job.spec().run_policy();
  return policy.has_active_deadline_seconds() && status.has_start_time() &&
         ToTime(observed.now) - ToTime(status.start_time()) >=
             absl::Seconds(policy.active_deadline_seconds());
}

Limit LimitReached(const Observed& observed, const JobStatus& status) {
  if (ExceedsBackoffLimit(observed, status) ||
      PastBackoffLimit(observed.job.spec().run_policy(),
                       CountedRestarts(observed))) {
    return Limit::kBackoff;
  }
  return PastActiveDeadline(observed, status) ? Limit::kDeadline : Limit::kNone;
}

void CountIn(std::string_view phase, ReplicaStatus& counts) {
  if (phase == "Running") counts.set_active(counts.active() + 1);
  if (phase == "Succeeded") counts.set_succeeded(counts.succeeded() + 1);
  if (phase == "Failed") counts.set_failed(counts.failed() + 1);
}

// Counts a running pod that is being deleted as failed, because the pod of a
// lost node never gets to phase Failed.
void Count(const Pod& pod, ReplicaStatus& counts) {
  const bool lost = pod.status().phase() == "Running" &&
                    pod.metadata().has_deletion_timestamp();
  CountIn(lost ? "Failed" : std::string_view(pod.status().phase()), counts);
}

ReplicaStatus& Reset(const std::string& type, JobStatus& status) {
  ReplicaStatus& counts = (*status.mutable_replica_statuses())[type];
  counts.Clear();
  return counts;
}

enum class PodVerdict {
  // Left to the kubelet and to the kind's status logic.
  kLeft,
  kRestarted,
  // Its exit code is permanent, so the job has failed.
  kFailsJob,
};

// Returns the effect of a replica's pod. Only phase Failed has one.
PodVerdict VerdictOn(const Pod& pod, const std::string& policy,
                     const Observed& observed) {
  if (pod.status().phase() != "Failed") return PodVerdict::kLeft;
  if (policy == kOnFailure || policy == kAlways) return PodVerdict::kRestarted;
  if (policy != kExitCode) return PodVerdict::kLeft;
  return IsRetryableExitCode(ExitCodeOf(pod, observed.kind.container))
             ? PodVerdict::kRestarted
             : PodVerdict::kFailsJob;
}

// Handles the pods of one replica type; the scope is always a single pod.
void ReconcileReplica(const Observed& observed, const std::string& type,
                      const ReplicaSpec& spec, Pass& pass) {
  const std::string& name = observed.job.metadata().name();
  ReplicaStatus& counts = Reset(type, pass.status);
  for (const auto& [index, pods] : PodsByIndex(observed, type)) {
    // Two pods of one index are only logged.
    if (pods.size() != 1) continue;
    const Pod& pod = *pods.front();
    const PodVerdict verdict = VerdictOn(pod, spec.restart_policy(), observed);
    if (verdict == PodVerdict::kRestarted) {
      // A pod beyond the wanted number is not recreated.
      pass.restarts |= index < spec.replicas();
      SetCondition(
          kRestarting, true, Reason(observed.kind, kRestarting),
          absl::StrFormat("job %s is restarting because %s replica(s) failed.",
                          name, type),
          pass.status);
    } else if (verdict == PodVerdict::kFailsJob) {
      SetCondition(
          kFailed, true, Reason(observed.kind, kFailed),
          absl::StrFormat(
              "job \"%s\" is failing because \"%s\" replica(s) failed.", name,
              type),
          pass.status);
    }
    Count(pod, counts);
  }
}

// Returns whether the pod has the label of the replica type.
bool IsOfType(const Pod& pod, std::string_view type) {
  const auto* const label =
      FindValue(pod.metadata().labels(), kReplicaTypeLabel);
  return label != nullptr && *label == absl::AsciiStrToLower(std::string(type));
}

// Counts the pods of an MPIJob by launcher and workers. Skips the workers once
// the launcher has ended.
void CountMpiPods(const Observed& observed, JobStatus& status) {
  ReplicaStatus& launcher = Reset("Launcher", status);
  ReplicaStatus& workers = Reset("Worker", status);
  const Pod* const first = FindIn(
      observed.pods, [](const Pod& pod) { return IsOfType(pod, "Launcher"); });
  if (first != nullptr) CountIn(first->status().phase(), launcher);
  if (launcher.succeeded() != 0 || launcher.failed() != 0) return;
  const auto spec = observed.replicas.find("Worker");
  if (spec == observed.replicas.end()) return;
  for (const auto& [index, pods] : PodsByIndex(observed, "Worker")) {
    if (index >= spec->second.replicas()) break;
    CountIn(pods.front()->status().phase(), workers);
  }
}

std::string Sentence(const Observed& observed, std::string_view what) {
  return absl::StrFormat("%s %s is %s.", observed.kind.name,
                         observed.job.metadata().name(), what);
}

// Counts running pods as succeeded, as the job has. With a TTL but no known
// completion time, the operator gives up before that.
void FinishUp(const Observed& observed, JobStatus& status) {
  const auto& policy = observed.job.spec().run_policy();
  const bool times_out = policy.has_ttl_seconds_after_finished() &&
                         !policy.suspend() && !status.has_completion_time();
  if (times_out || !IsTrue(status.conditions(), kSucceeded)) return;
  for (auto& [type, counts] : *status.mutable_replica_statuses()) {
    counts.set_succeeded(counts.succeeded() + counts.active());
    counts.set_active(0);
  }
}

void Suspend(const Observed& observed, JobStatus& status) {
  for (auto& [type, counts] : *status.mutable_replica_statuses()) {
    counts.set_active(0);
  }
  const std::string reason = Reason(observed.kind, kSuspended);
  const std::string message = Sentence(observed, "suspended");
  if (IsTrue(status.conditions(), kRunning)) {
    SetCondition(kRunning, false, reason, message, status);
  }
  if (!IsTrue(status.conditions(), kSuspended)) {
    SetCondition(kSuspended, true, reason, message, status);
  }
}

void Resume(const Observed& observed, JobStatus& status) {
  if (!IsTrue(status.conditions(), kSuspended)) return;
  SetCondition(kSuspended, false, Reason(observed.kind, "Resumed"),
               Sentence(observed, "resumed"), status);
  *status.mutable_start_time() = observed.now;
}

void GiveUp(const Observed& observed, Pass& pass) {
  // Both have one reason; only the message differs.
  const std::string_view why =
      pass.limit == Limit::kBackoff
          ? "it has reached the specified backoff limit"
          : "it was active longer than specified deadline";
  SetCondition(kFailed, true, Reason(observed.kind, kFailed),
               absl::StrFormat("Job %s has failed because %s",
                               observed.job.metadata().name(), why),
               pass.status);
}

}  // namespace

Pass Reconcile(const Observed& observed) {
  Pass pass;
  pass.status = observed.job.status();
  if (IsFinished(pass.status)) {
    FinishUp(observed, pass.status);
    return pass;
  }
  if (observed.job.spec().run_policy().suspend()) {
    Suspend(observed, pass.status);
    return pass;
  }
  Resume(observed, pass.status);
  pass.limit = LimitReached(observed, pass.status);
  if (pass.limit != Limit::kNone) {
    GiveUp(observed, pass);
    return pass;
  }
  if (observed.kind.framework == Framework::kMpi) {
    CountMpiPods(observed, pass.status);
  } else {
    for (const auto& [type, spec] : observed.replicas) {
      ReconcileReplica(observed, type, spec, pass);
    }
  }
  UpdateStatus(observed, pass.status);
  return pass;
}

std::map<int, std::vector<const Pod*>> PodsByIndex(const Observed& observed,
                                                   std::string_view type) {
  std::map<int, std::vector<const Pod*>> by_index;
  for (const Pod& pod : observed.pods) {
    if (!IsOfType(pod, type)) continue;
    int index = 0;
    if (absl::SimpleAtoi(ValueAt(pod.metadata().labels(), kReplicaIndexLabel),
                         &index)) {
      by_index[index].push_back(&pod);
    }
  }
  return by_index;
}

std::int32_t ExitCodeOf(const Pod& pod, std::string_view container) {
  std::int32_t code = 0xbeef;
  for (const auto& status : pod.status().container_statuses()) {
    if (status.name() == container && status.state().has_terminated()) {
      code = status.state().terminated().exit_code();
    }
  }
  return code;
}

std::int64_t CountedRestarts(const Observed& observed) {
  std::int64_t restarts = 0;
  for (const auto& [type, spec] : observed.replicas) {
    const std::string& policy = spec.restart_policy();
    if (policy != kOnFailure && policy != kAlways && policy != kExitCode) {
      continue;
    }
    for (const Pod& pod : observed.pods) {
      if (HasPhase(pod, "Running") && IsOfType(pod, type)) {
        restarts += ContainerRestartsOf(pod);
      }
    }
  }
  return restarts;
}

bool PastBackoffLimit(const RunPolicy& policy, std::int64_t restarts) {
  if (!policy.has_backoff_limit()) return false;
  return policy.backoff_limit() == 0 ? restarts > 0
                                     : restarts >= policy.backoff_limit();
}

std::int64_t ToleratedRestarts(std::int32_t backoff_limit) {
  return backoff_limit == 0 ? 0 : std::int64_t{backoff_limit} - 1;
}

}  // namespace mulligan::kubeflow
