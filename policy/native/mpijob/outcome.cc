// MPIJobs of mpi-operator (kubeflow.org/v2beta1), read at 0.8.0; 0.6.0 and
// 0.7.0 answer the same. training-operator's MPIJob is of v1 (native/kubeflow).
//
// The launcher is a Job called "<name>-launcher" with the MPIJob's
// backoffLimit, whose result decides. mpi-operator itself manages the worker
// pods. It checks in this order:
//   1. another controller in charge: nothing
//   2. an end that it wrote, with a completionTime: nothing more
//   3. the end of the launcher's Job: that of the MPIJob
//   4. a worker with status.reason Evicted: condition Failed, but without a
//      completionTime, and the launcher goes on
//   5. spec.runPolicy.suspend: nothing
// Otherwise it leaves the failure to the launcher's Job. A failed worker stays
// failed; only a worker whose pod is gone is recreated.
#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/labels.h"
#include "policy/native/answer.h"
#include "policy/native/kubeflow/training_job.h"

namespace mulligan {
namespace mpijob {
namespace {

using kubeflow::TrainingJob;
using kubernetes::core::v1::Pod;

constexpr std::string_view kController = "kubeflow.org/mpi-operator";
constexpr std::string_view kFailed = "Failed";
constexpr std::string_view kSucceeded = "Succeeded";

// Of an Event.
constexpr std::size_t kMaxMessage = 1024;

// The input of the steps.
struct Seen {
  const v1::FailureReport& report;
  const TrainingJob& job;
  // What the launcher's Job does; empty if there is none.
  const std::optional<NativeOutcome> launcher;
};

bool IsOfRole(const Pod& pod, std::string_view role) {
  return LabelOf(pod.metadata().labels(), "training.kubeflow.org/job-role") ==
         role;
}

// Returns the latest one created; null if the report has none.
const Pod* LastFailedLauncher(const v1::FailureReport& report) {
  const Pod* last = nullptr;
  for (const Pod& pod : report.pods()) {
    if (!IsOfRole(pod, "launcher") || !HasPhase(pod, kFailed)) continue;
    if (last == nullptr || ToTime(last->metadata().creation_timestamp()) <
                               ToTime(pod.metadata().creation_timestamp())) {
      last = &pod;
    }
  }
  return last;
}

// Adds the launcher's charges if its Job has the same action.
OperatorAnswer Charged(const Seen& seen, OperatorAnswer answer) {
  return seen.launcher && seen.launcher->action == answer.action
             ? ChargedAs(*seen.launcher, std::move(answer))
             : answer;
}

std::optional<OperatorAnswer> Ended(const Seen& seen) {
  if (!seen.job.status().has_completion_time()) return std::nullopt;
  const auto& conditions = seen.job.status().conditions();
  for (const auto& [verdict, action] :
       {std::pair(kFailed, v1::Decision::FAIL),
        std::pair(kSucceeded, v1::Decision::IGNORE)}) {
    const auto* const end = FindCondition(conditions, verdict);
    if (end == nullptr || end->status() != "True") continue;
    return Charged(seen, AnswerBy(conditions, verdict, action));
  }
  return std::nullopt;
}

std::optional<OperatorAnswer> LauncherFailed(const Seen& seen) {
  if (!seen.launcher || seen.launcher->action != v1::Decision::FAIL) {
    return std::nullopt;
  }
  const auto& metadata = seen.job.metadata();
  std::string reason = seen.launcher->verdict.reason();
  if (reason.empty()) reason = "MPIJobFailed";
  std::string message = seen.launcher->verdict.message();
  if (message.empty()) {
    message = absl::StrFormat("MPIJob %s/%s has failed", metadata.namespace_(),
                              metadata.name());
  }
  if (const Pod* const pod = LastFailedLauncher(seen.report);
      reason == "BackoffLimitExceeded" && pod != nullptr) {
    absl::StrAppend(&reason, "/", pod->status().reason());
    absl::StrAppend(&message, ": ", pod->status().message());
    if (message.size() > kMaxMessage) {
      message.resize(kMaxMessage - 3);
      message += "...";
    }
  }
  return Charged(seen, Quits(kFailed, {.reason = reason, .message = message}));
}

std::optional<OperatorAnswer> WorkersEvicted(const Seen& seen) {
  int shown = 0;
  int evicted = 0;
  for (const Pod& pod : seen.report.pods()) {
    if (!IsOfRole(pod, "worker")) continue;
    ++shown;
    evicted += HasPhase(pod, kFailed) && pod.status().reason() == "Evicted";
  }
  if (evicted == 0) return std::nullopt;
  // All requested workers exist, even if the report shows fewer.
  const auto* const worker_spec =
      FindValue(seen.job.spec().mpi_replica_specs(), "Worker");
  const int workers =
      std::max(worker_spec == nullptr ? 0 : worker_spec->replicas(), shown);
  return Quits(
      kFailed,
      {.reason = "MPIJobEvicted",
       .message =
           absl::StrFormat("%d/%d workers are evicted", evicted, workers),
       .warnings = {"the operator says Failed and stops nothing: the launcher "
                    "goes on, and its Job retries it up to the backoffLimit"}});
}

OperatorAnswer LeftToLauncher(const Seen& seen) {
  const bool worker_failed =
      FindIn(seen.report.pods(), [](const Pod& pod) {
        return IsOfRole(pod, "worker") && HasPhase(pod, kFailed);
      }) != nullptr;
  if (worker_failed) {
    return Idle(
        "the operator leaves a worker that failed as it is, and makes a new "
        "one only where the pod is gone");
  }
  if (seen.launcher) return Ignores("None");
  return Idle(
      "an MPIJob's retries are those of its launcher's Job, which is not in "
      "the report");
}

OperatorAnswer AnswerTo(const Seen& seen) {
  const auto& policy = seen.job.spec().run_policy();
  const std::string& manager = policy.managed_by();
  if (!manager.empty() && manager != kController) return LeftTo(manager);
  if (const auto end = Ended(seen)) return *end;
  if (const auto end = LauncherFailed(seen)) return *end;
  if (const auto end = WorkersEvicted(seen)) return *end;
  if (policy.suspend()) return Ignores("Suspended");
  return LeftToLauncher(seen);
}

}  // namespace
}  // namespace mpijob

std::optional<NativeOutcome> MpiJobOutcome(const NativeInput& input) {
  const auto& job = input.report.kubeflow_job();
  if (!input.report.has_kubeflow_job() || !kubeflow::IsOfMpiOperator(job)) {
    return std::nullopt;
  }
  return OutcomeBy(
      "MPIJob", "mpi-operator 0.8", v1::Decision::WORKLOAD, {},
      mpijob::AnswerTo({input.report, job, KubernetesJobOutcome(input)}));
}

}  // namespace mulligan
