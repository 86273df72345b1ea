#include "policy/operators/kubeflow/replicas.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/operators/kubeflow/conditions.h"
#include "policy/operators/kubeflow/exit_codes.h"
#include "policy/operators/kubeflow/limits.h"

namespace mulligan::kubeflow {
namespace {

void CountIn(std::string_view phase, ReplicaStatus& counts) {
  if (phase == kPodRunning) counts.set_active(counts.active() + 1);
  if (phase == kPodSucceeded) counts.set_succeeded(counts.succeeded() + 1);
  if (phase == kPodFailed) counts.set_failed(counts.failed() + 1);
}

// A running pod that is being deleted counts as failed: that of a lost node
// never gets to phase Failed.
void Count(const Pod& pod, ReplicaStatus& counts) {
  const bool lost = pod.status().phase() == kPodRunning &&
                    pod.metadata().has_deletion_timestamp();
  CountIn(lost ? kPodFailed : std::string_view(pod.status().phase()), counts);
}

ReplicaStatus& Reset(const std::string& type, JobStatus& status) {
  ReplicaStatus& counts = (*status.mutable_replica_statuses())[type];
  counts.Clear();
  counts.set_active(0);
  counts.set_succeeded(0);
  counts.set_failed(0);
  return counts;
}

// The pods by their index; pods without one are passed over.
std::map<int, Pods> ByIndex(const Pods& pods) {
  std::map<int, Pods> by_index;
  for (const Pod* const pod : pods) {
    const auto& labels = pod->metadata().labels();
    const auto label = labels.find(std::string(kReplicaIndexLabel));
    int index = 0;
    if (label != labels.end() && absl::SimpleAtoi(label->second, &index)) {
      by_index[index].push_back(pod);
    }
  }
  return by_index;
}

}  // namespace

PodVerdict VerdictOn(const Pod& pod, const ReplicaSpec& spec, const Kind& kind,
                     const Version& version) {
  if (pod.status().phase() != kPodFailed) return PodVerdict::kLeft;
  const std::string& policy = spec.restart_policy();
  if (policy == kOnFailure || policy == kAlways) return PodVerdict::kRestarted;
  if (policy != kExitCode) return PodVerdict::kLeft;
  if (IsRetryableExitCode(ExitCodeOf(pod, kind.container),
                          version.exit_codes)) {
    return PodVerdict::kRestarted;
  }
  return version.permanent_code_fails_job ? PodVerdict::kFailsJob
                                          : PodVerdict::kLeft;
}

void ReconcileReplica(const Scene& scene, const std::string& type,
                      JobStatus& status, Pods& restarted) {
  const ReplicaSpec& spec = scene.replicas.at(type);
  const std::string& name = scene.job.metadata().name();
  ReplicaStatus& counts = Reset(type, status);
  for (const auto& [index, pods] : ByIndex(PodsOfType(scene.pods, type))) {
    // Two pods of one index are only logged.
    if (pods.size() != 1) continue;
    const Pod& pod = *pods.front();
    switch (VerdictOn(pod, spec, scene.kind, scene.version)) {
      case PodVerdict::kRestarted:
        // One beyond the wanted number is not made again.
        if (index < spec.replicas()) restarted.push_back(&pod);
        SetCondition({kRestarting, kTrue, Reason(scene.kind, kRestarting),
                      absl::StrFormat(
                          "job %s is restarting because %s replica(s) failed.",
                          name, type)},
                     scene.now, status);
        break;
      case PodVerdict::kFailsJob:
        SetCondition(
            {kFailed, kTrue, Reason(scene.kind, kFailed),
             absl::StrFormat(
                 "job \"%s\" is failing because \"%s\" replica(s) failed.",
                 name, type)},
            scene.now, status);
        break;
      case PodVerdict::kLeft:
        break;
    }
    Count(pod, counts);
  }
}

void CountMpiPods(const Scene& scene, JobStatus& status) {
  const Pods launchers = PodsOfType(scene.pods, "Launcher");
  ReplicaStatus& launcher = Reset("Launcher", status);
  ReplicaStatus& workers = Reset("Worker", status);
  bool done = false;
  if (!launchers.empty()) {
    CountIn(launchers.front()->status().phase(), launcher);
    done = launcher.succeeded() != 0 || launcher.failed() != 0;
  }
  if (done) return;
  const auto spec = scene.replicas.find("Worker");
  if (spec == scene.replicas.end()) return;
  for (const auto& [index, pods] : ByIndex(PodsOfType(scene.pods, "Worker"))) {
    if (index >= spec->second.replicas()) break;
    CountIn(pods.front()->status().phase(), workers);
  }
}

bool IsWorker0Completed(const Scene& scene) {
  if (scene.replicas.count("Worker") == 0) return true;
  const auto by_index = ByIndex(PodsOfType(scene.pods, "Worker"));
  const auto worker0 = by_index.find(0);
  if (worker0 == by_index.end() || worker0->second.size() != 1) return false;
  const Pod& pod = *worker0->second.front();
  return pod.status().phase() == kPodSucceeded &&
         ExitCodeOf(pod, scene.kind.container) == 0;
}

}  // namespace mulligan::kubeflow
