// MPIJobs of mpi-operator (kubeflow.org/v2beta1), read at 0.7.0; 0.6.0 answers
// the same. training-operator's MPIJob is of v1 (operators/kubeflow).
//
// The launcher is a Job called "<name>-launcher", with the MPIJob's
// backoffLimit: what that Job does is what happens. The pods of workers are the
// operator's own. It looks, in this order, for
//   1. another controller in charge: nothing
//   2. an end that it has written, with a completionTime: nothing any more
//   3. the end of the launcher's Job: that of the MPIJob
//   4. a worker with status.reason Evicted: the condition Failed. It writes no
//      completionTime, and the launcher goes on
//   5. spec.runPolicy.suspend: nothing
// and else leaves the failure to the launcher's Job. A worker that failed stays
// so; only one whose pod is gone is made again.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/labels.h"
#include "policy/operators/kubeflow/training_job.h"
#include "policy/operators/native.h"
#include "policy/operators/objects.h"

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

struct Nothing {};

// No release, gate or setting changes the answer.
Setup<Nothing> TheSetup() {
  Setup<Nothing> setup;
  setup.semantics = "mpi-operator 0.7";
  return setup;
}

class Outcome {
 public:
  explicit Outcome(const NativeInput& input)
      : input_(input),
        job_(input.report.kubeflow_job()),
        launcher_(KubernetesJobOutcome(input)),
        outcome_("MPIJob", v1::Decision::WORKLOAD, TheSetup()) {}

  NativeOutcome Run() && {
    const std::string& manager = job_.spec().run_policy().managed_by();
    if (!manager.empty() && manager != kController) {
      outcome_.Answer("Skipped", v1::Decision::IGNORE);
      outcome_.Explain("", "managed by " + manager);
    } else if (!IsFinished() && !LauncherEnds() && !WorkersAreEvicted()) {
      Idle();
    }
    return std::move(outcome_);
  }

 private:
  bool IsFinished() {
    if (!job_.status().has_completion_time()) return false;
    for (const auto& [word, action] :
         {std::pair(kFailed, v1::Decision::FAIL),
          std::pair(kSucceeded, v1::Decision::IGNORE)}) {
      const auto* const end = FindCondition(job_.status().conditions(), word);
      if (end == nullptr || end->status() != "True") continue;
      outcome_.Answer(word, action);
      outcome_.Explain(end->reason(), end->message());
      TakeCharges(action);
      return true;
    }
    return false;
  }

  bool LauncherEnds() {
    if (!launcher_ || launcher_->action != v1::Decision::FAIL) return false;
    const std::string& said = launcher_->verdict.reason();
    std::string reason = said.empty() ? "MPIJobFailed" : said;
    std::string message = launcher_->verdict.message();
    if (message.empty()) {
      message =
          absl::StrFormat("MPIJob %s/%s has failed",
                          job_.metadata().namespace_(), job_.metadata().name());
    }
    if (const Pod* const pod = LastFailedLauncher();
        reason == "BackoffLimitExceeded" && pod != nullptr) {
      absl::StrAppend(&reason, "/", pod->status().reason());
      absl::StrAppend(&message, ": ", pod->status().message());
      if (message.size() > kMaxMessage) {
        message.resize(kMaxMessage - 3);
        message += "...";
      }
    }
    outcome_.Answer(kFailed, v1::Decision::FAIL);
    outcome_.Explain(reason, message);
    TakeCharges(v1::Decision::FAIL);
    return true;
  }

  bool WorkersAreEvicted() {
    // There are as many as are asked for, wherever the report has fewer.
    const auto* const asked =
        FindValue(job_.spec().mpi_replica_specs(), "Worker");
    int workers = asked == nullptr ? 0 : asked->replicas();
    int shown = 0;
    int evicted = 0;
    for (const Pod& pod : input_.report.pods()) {
      if (!IsOfRole(pod, "worker")) continue;
      ++shown;
      evicted += HasPhase(pod, kFailed) && pod.status().reason() == "Evicted";
    }
    if (evicted == 0) return false;
    workers = std::max(workers, shown);
    outcome_.Answer(kFailed, v1::Decision::FAIL);
    outcome_.Explain(
        "MPIJobEvicted",
        absl::StrFormat("%d/%d workers are evicted", evicted, workers));
    outcome_.Warn(
        "the operator says Failed and stops nothing: the launcher goes on, and "
        "its Job retries it up to the backoffLimit");
    return true;
  }

  void Idle() {
    const bool suspended = job_.spec().run_policy().suspend();
    outcome_.Answer(suspended ? "Suspended" : "None", v1::Decision::IGNORE);
    if (suspended) return;
    const bool worker_failed =
        std::any_of(input_.report.pods().begin(), input_.report.pods().end(),
                    [](const Pod& pod) {
                      return IsOfRole(pod, "worker") && HasPhase(pod, kFailed);
                    });
    if (worker_failed) {
      outcome_.Warn(
          "the operator leaves a worker that failed as it is, and makes a new "
          "one only where the pod is gone");
    } else if (!launcher_) {
      outcome_.Warn(
          "an MPIJob's retries are those of its launcher's Job, which is not "
          "in the report");
    }
  }

  void TakeCharges(v1::Decision::Action action) {
    if (!launcher_ || launcher_->action != action) return;
    outcome_.Charge(launcher_->charged_to, launcher_->used, launcher_->limit);
    for (const std::string& warning : launcher_->warnings) {
      outcome_.Warn(warning);
    }
  }

  static bool IsOfRole(const Pod& pod, std::string_view role) {
    return LabelOf(pod.metadata().labels(), "training.kubeflow.org/job-role") ==
           role;
  }

  // The one made last; null: none is in the report.
  const Pod* LastFailedLauncher() const {
    const Pod* last = nullptr;
    for (const Pod& pod : input_.report.pods()) {
      if (!IsOfRole(pod, "launcher") || !HasPhase(pod, kFailed)) continue;
      if (last == nullptr || ToTime(last->metadata().creation_timestamp()) <
                                 ToTime(pod.metadata().creation_timestamp())) {
        last = &pod;
      }
    }
    return last;
  }

  const NativeInput& input_;
  const TrainingJob& job_;
  // What the Job of the launcher does; nothing without one.
  const std::optional<NativeOutcome> launcher_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace mpijob

std::optional<NativeOutcome> MpiJobOutcome(const NativeInput& input) {
  if (!input.report.has_kubeflow_job() ||
      !kubeflow::IsOfMpiOperator(input.report.kubeflow_job())) {
    return std::nullopt;
  }
  return mpijob::Outcome(input).Run();
}

}  // namespace mulligan
