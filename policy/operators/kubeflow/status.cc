#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/kubeflow/reconcile.h"

namespace mulligan::kubeflow {
namespace {

constexpr std::string_view kWorker = "Worker";
constexpr std::string_view kMaster = "Master";
constexpr std::string_view kLauncher = "Launcher";

struct Counts {
  std::int64_t wanted = 0;
  std::int64_t succeeded = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;

  // Pods still expected to live.
  std::int64_t Expected() const { return wanted - succeeded; }
};

// Whether worker 0 of a TFJob ended with exit code 0. True when there are no
// workers at all.
bool IsWorker0Completed(const Observed& observed) {
  if (observed.replicas.count(std::string(kWorker)) == 0) return true;
  const auto by_index = PodsByIndex(observed, kWorker);
  const auto worker0 = by_index.find(0);
  if (worker0 == by_index.end() || worker0->second.size() != 1) return false;
  const Pod& pod = *worker0->second.front();
  return HasPhase(pod, "Succeeded") &&
         ExitCodeOf(pod, observed.kind.container) == 0;
}

// One kind's status logic on a status under change.
class StatusUpdate {
 public:
  StatusUpdate(const Observed& observed, JobStatus& status)
      : observed_(observed),
        job_(absl::StrFormat("%s %s", observed.kind.name,
                             observed.job.metadata().name())),
        full_job_(absl::StrFormat("%s %s/%s", observed.kind.name,
                                  observed.job.metadata().namespace_(),
                                  observed.job.metadata().name())),
        status_(status) {}

  void TensorFlow() {
    const JobCondition* const found =
        FindCondition(status_.conditions(), kRestarting);
    const JobCondition restarting = found == nullptr ? JobCondition() : *found;
    const bool by_chief = HasChief(observed_.replicas);
    const bool worker0 = IsWorker0Completed(observed_);
    for (const std::string_view type : observed_.kind.types) {
      if (observed_.replicas.count(std::string(type)) == 0) continue;
      const Counts counts = CountsOf(type);
      const bool is_chief = type == "Chief" || type == kMaster;
      if (by_chief && is_chief) {
        if (counts.running > 0) SetRunning(full_job_);
        if (counts.Expected() == 0)
          SetSucceeded(full_job_ + " successfully completed.");
      } else if (!by_chief && type == kWorker) {
        const bool all_workers =
            observed_.job.spec().success_policy() == "AllWorkers";
        if (counts.Expected() == 0 || (worker0 && !all_workers)) {
          SetSucceeded(full_job_ + " successfully completed.");
        } else if (counts.running > 0) {
          SetRunning(full_job_);
        }
      }
      if (counts.failed > 0) {
        TensorFlowFailure(type, counts,
                          found != nullptr ? &restarting : nullptr);
      }
    }
  }

  // PyTorchJob, PaddleJob and JAXJob.
  void Ranks() {
    const bool by_master = observed_.kind.framework != Framework::kJax &&
                           observed_.replicas.count(std::string(kMaster)) != 0;
    const bool any_worker = observed_.kind.framework == Framework::kPyTorch &&
                            observed_.job.spec().has_elastic_policy();
    for (const auto& [type, spec] : observed_.replicas) {
      const Counts counts = CountsOf(type);
      if (by_master && type == kMaster) {
        if (counts.running > 0) SetRunning(job_);
        if (counts.Expected() == 0)
          return SetSucceeded(job_ + " is successfully completed.");
      } else if (!by_master && type == kWorker) {
        if (counts.Expected() == 0 || (any_worker && counts.succeeded > 0)) {
          SetSucceeded(full_job_ + " successfully completed.");
        } else if (counts.running > 0) {
          SetRunning(full_job_);
        }
      }
      if (counts.failed == 0 ||
          counts.wanted <= counts.succeeded + counts.running) {
        continue;
      }
      if (spec.restart_policy() != kNever) {
        SetRestarting(type, counts);
      } else {
        SetFailed(Reason(observed_.kind, kFailed), type, counts);
      }
    }
  }

  // XGBoostJob and MPIJob.
  void Leader() {
    const bool is_mpi = observed_.kind.framework == Framework::kMpi;
    const std::string_view leader = is_mpi ? kLauncher : kMaster;
    for (const auto& [type, spec] : observed_.replicas) {
      const Counts counts = CountsOf(type);
      if (type == leader) {
        if (counts.running > 0) SetRunning(job_);
        if (counts.Expected() == 0) {
          if (!is_mpi) SetRunning(job_);
          return SetSucceeded(job_ + " is successfully completed.");
        }
      }
      if (counts.failed == 0) continue;
      if (!is_mpi) SetRunning(job_);
      if (spec.restart_policy() == kExitCode) {
        SetRestarting(type, counts);
        continue;
      }
      std::string reason = Reason(observed_.kind, kFailed);
      // The kind's name comes twice, as in the operator.
      if (is_mpi) reason = Reason(observed_.kind, reason);
      SetFailed(reason, type, counts);
    }
  }

 private:
  Counts CountsOf(std::string_view type) const {
    const std::string key(type);
    Counts counts;
    counts.wanted = observed_.replicas.at(key).replicas();
    const auto found = status_.replica_statuses().find(key);
    if (found == status_.replica_statuses().end()) return counts;
    counts.succeeded = found->second.succeeded();
    counts.running = found->second.active();
    counts.failed = found->second.failed();
    return counts;
  }

  void Set(std::string_view type, const std::string& reason,
           const std::string& message) {
    SetCondition(type, true, reason, message, status_);
  }
  void SetRunning(const std::string& job) {
    Set(kRunning, Reason(observed_.kind, kRunning), job + " is running.");
  }
  void SetSucceeded(const std::string& message) {
    Set(kSucceeded, Reason(observed_.kind, kSucceeded), message);
  }
  void TensorFlowFailure(std::string_view type, const Counts& counts,
                         const JobCondition* restarting) {
    if (restarting != nullptr) {
      // Running, set above, has removed it.
      return Set(kRestarting, restarting->reason(), restarting->message());
    }
    if (observed_.job.spec().enable_dynamic_worker() && type == kWorker) return;
    Set(kFailed, Reason(observed_.kind, kFailed),
        absl::StrFormat("%s has failed because %d %s replica(s) failed.",
                        full_job_, counts.failed, type));
  }

  void SetRestarting(std::string_view type, const Counts& counts) {
    Set(kRestarting, Reason(observed_.kind, kRestarting),
        absl::StrFormat("%s is restarting because %d %s replica(s) failed.",
                        job_, counts.failed, type));
  }
  void SetFailed(const std::string& reason, std::string_view type,
                 const Counts& counts) {
    Set(kFailed, reason,
        absl::StrFormat("%s is failed because %d %s replica(s) failed.", job_,
                        counts.failed, type));
  }

  const Observed& observed_;
  // "PyTorchJob name", and with its namespace.
  const std::string job_;
  const std::string full_job_;
  JobStatus& status_;
};

}  // namespace

void UpdateStatus(const Observed& observed, JobStatus& status) {
  StatusUpdate update(observed, status);
  switch (observed.kind.framework) {
    case Framework::kTensorFlow:
      return update.TensorFlow();
    case Framework::kPyTorch:
    case Framework::kPaddle:
    case Framework::kJax:
      return update.Ranks();
    case Framework::kXgBoost:
    case Framework::kMpi:
      return update.Leader();
  }
}

}  // namespace mulligan::kubeflow
