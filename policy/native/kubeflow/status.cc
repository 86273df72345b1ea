#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/native/kubeflow/reconcile.h"

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

  // Returns the pods still expected to live.
  std::int64_t Expected() const { return wanted - succeeded; }
};

Counts CountsOf(const std::string& type, const ReplicaSpec& spec,
                const JobStatus& status) {
  const auto* const found = FindValue(status.replica_statuses(), type);
  if (found == nullptr) return {.wanted = spec.replicas()};
  return {spec.replicas(), found->succeeded(), found->active(),
          found->failed()};
}

// Returns whether worker 0 of a TFJob ended with exit code 0. True without any
// workers.
bool IsWorker0Completed(const Observed& observed) {
  if (observed.replicas.count(std::string(kWorker)) == 0) return true;
  const auto by_index = PodsByIndex(observed, kWorker);
  const auto worker0 = by_index.find(0);
  if (worker0 == by_index.end() || worker0->second.size() != 1) return false;
  const Pod& pod = *worker0->second.front();
  return HasPhase(pod, "Succeeded") &&
         ExitCodeOf(pod, observed.kind.container) == 0;
}

// A condition that becomes True.
struct Change {
  std::string_view type;
  std::string message;
  // Default: the kind's name and the type.
  std::optional<std::string> reason = {};
};
using Changes = std::vector<Change>;

// Return "PyTorchJob name", and the same with the namespace.
std::string JobOf(const Observed& observed) {
  return absl::StrFormat("%s %s", observed.kind.name,
                         observed.job.metadata().name());
}
std::string FullJobOf(const Observed& observed) {
  return absl::StrFormat("%s %s/%s", observed.kind.name,
                         observed.job.metadata().namespace_(),
                         observed.job.metadata().name());
}

// `what` is for example "PyTorchJob name is restarting".
std::string Because(const std::string& what, const Counts& counts,
                    std::string_view type) {
  return absl::StrFormat("%s because %d %s replica(s) failed.", what,
                         counts.failed, type);
}

// Adds the effect of the one replica that decides alone.
void LeadBy(const Counts& leader, const std::string& job, const char* done,
            Changes& changes) {
  if (leader.running > 0) changes.push_back({kRunning, job + " is running."});
  if (leader.Expected() == 0) {
    changes.push_back({kSucceeded, job + done});
  }
}

// Adds the effect of the workers if no replica decides alone.
void LeadByAll(const Counts& workers, bool are_enough, const std::string& job,
               Changes& changes) {
  if (workers.Expected() == 0 || are_enough) {
    changes.push_back({kSucceeded, job + " successfully completed."});
  } else if (workers.running > 0) {
    changes.push_back({kRunning, job + " is running."});
  }
}

Changes TensorFlow(const Observed& observed, const JobStatus& status) {
  const JobCondition* const restarting =
      FindCondition(status.conditions(), kRestarting);
  const auto& job_spec = observed.job.spec();
  const std::string job = FullJobOf(observed);
  const bool by_chief = HasChief(observed.replicas);
  const bool are_enough =
      job_spec.success_policy() != "AllWorkers" && IsWorker0Completed(observed);
  Changes changes;
  for (const auto& [type, spec] : observed.replicas) {
    if (!HasText(observed.kind.types, type)) continue;
    const Counts counts = CountsOf(type, spec, status);
    if (by_chief && (type == "Chief" || type == kMaster)) {
      LeadBy(counts, job, " successfully completed.", changes);
    } else if (!by_chief && type == kWorker) {
      LeadByAll(counts, are_enough, job, changes);
    }
    if (counts.failed == 0) continue;
    if (restarting != nullptr) {
      // Running, set above, has removed it.
      changes.push_back(
          {kRestarting, restarting->message(), restarting->reason()});
    } else if (!job_spec.enable_dynamic_worker() || type != kWorker) {
      changes.push_back({kFailed, Because(job + " has failed", counts, type)});
    }
  }
  return changes;
}

// For PyTorchJob, PaddleJob and JAXJob.
Changes Ranks(const Observed& observed, const JobStatus& status) {
  const Framework framework = observed.kind.framework;
  const bool by_master = framework != Framework::kJax &&
                         observed.replicas.contains(std::string(kMaster));
  const bool any_worker = framework == Framework::kPyTorch &&
                          observed.job.spec().has_elastic_policy();
  const std::string job = JobOf(observed);
  Changes changes;
  for (const auto& [type, spec] : observed.replicas) {
    const Counts counts = CountsOf(type, spec, status);
    if (by_master && type == kMaster) {
      LeadBy(counts, job, " is successfully completed.", changes);
      if (counts.Expected() == 0) break;
    } else if (!by_master && type == kWorker) {
      LeadByAll(counts, any_worker && counts.succeeded > 0, FullJobOf(observed),
                changes);
    }
    if (counts.failed == 0 ||
        counts.wanted <= counts.succeeded + counts.running) {
      continue;
    }
    if (spec.restart_policy() == kNever) {
      changes.push_back({kFailed, Because(job + " is failed", counts, type)});
    } else {
      changes.push_back(
          {kRestarting, Because(job + " is restarting", counts, type)});
    }
  }
  return changes;
}

// For XGBoostJob and MPIJob.
Changes Leader(const Observed& observed, const JobStatus& status) {
  const Kind& kind = observed.kind;
  const bool is_mpi = kind.framework == Framework::kMpi;
  const std::string job = JobOf(observed);
  Changes changes;
  for (const auto& [type, spec] : observed.replicas) {
    const Counts counts = CountsOf(type, spec, status);
    const bool leads = type == (is_mpi ? kLauncher : kMaster);
    const bool ends = leads && counts.Expected() == 0;
    if (!is_mpi && (ends || counts.failed > 0)) {
      changes.push_back({kRunning, job + " is running."});
    }
    if (leads) LeadBy(counts, job, " is successfully completed.", changes);
    if (ends) break;
    if (counts.failed == 0) continue;
    if (spec.restart_policy() == kExitCode) {
      changes.push_back(
          {kRestarting, Because(job + " is restarting", counts, type)});
      continue;
    }
    changes.push_back({kFailed, Because(job + " is failed", counts, type)});
    // The kind's name appears twice, as in the operator.
    if (is_mpi) changes.back().reason = Reason(kind, Reason(kind, kFailed));
  }
  return changes;
}

Changes ChangesTo(const JobStatus& status, const Observed& observed) {
  switch (observed.kind.framework) {
    case Framework::kTensorFlow:
      return TensorFlow(observed, status);
    case Framework::kPyTorch:
    case Framework::kPaddle:
    case Framework::kJax:
      return Ranks(observed, status);
    case Framework::kXgBoost:
    case Framework::kMpi:
      break;
  }
  return Leader(observed, status);
}

}  // namespace

void UpdateStatus(const Observed& observed, JobStatus& status) {
  for (const auto& [type, message, reason] : ChangesTo(status, observed)) {
    SetCondition(type, true, reason.value_or(Reason(observed.kind, type)),
                 message, status);
  }
}

}  // namespace mulligan::kubeflow
