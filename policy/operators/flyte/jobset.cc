#include "policy/operators/flyte/jobset.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/condition.h"
#include "policy/operators/flyte/pending.h"
#include "policy/operators/flyte/terminated.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::flyte {
namespace {

using job::TimeOf;

constexpr std::string_view kWorkers = "workers";

const Pod* NewestRank0Pod(const JobSet& job_set, const Pods& pods) {
  const std::string prefix =
      absl::StrFormat("%s-%s-0-0", job_set.metadata().name(), kWorkers);
  const Pod* newest = nullptr;
  for (const Pod* const pod : pods) {
    const auto& metadata = pod->metadata();
    if (!std::string_view(metadata.name()).starts_with(prefix)) continue;
    if (newest == nullptr ||
        TimeOf(metadata.creation_timestamp()) >
            TimeOf(newest->metadata().creation_timestamp())) {
      newest = pod;
    }
  }
  return newest;
}

class JobSetTask {
 public:
  JobSetTask(const JobSet& job_set, const Pods& pods, const ClusteredTask& task,
             const Settings& settings, absl::Time now)
      : job_set_(job_set),
        rank0_(NewestRank0Pod(job_set, pods)),
        task_(task),
        settings_(settings),
        now_(now) {}

  PhaseInfo PhaseAfter(Phase earlier) const {
    Conditions conditions = ConditionsFrom(job_set_.status().conditions());
    SortNewestFirst(conditions);
    const Condition* const current = FirstTrue(conditions);
    if (current == nullptr) {
      return HasStarted(earlier) ? Running()
                                 : InPhase(Phase::kInitializing,
                                           "pods scheduling / DNS resolving");
    }
    if (current->type == "Completed") return InPhase(Phase::kSuccess);
    if (current->type == "Failed") return Failed(*current);
    if (current->type == "RestartingJobSet") return Restarting();
    return Running();
  }

 private:
  const kubernetes::jobset::v1alpha2::JobSetStatus& status() const {
    return job_set_.status();
  }

  const kubernetes::jobset::v1alpha2::ReplicatedJobStatus* Workers() const {
    for (const auto& group : status().replicated_jobs_status()) {
      if (group.name() == kWorkers) return &group;
    }
    return nullptr;
  }

  bool HasStarted(Phase earlier) const {
    const auto* const workers = Workers();
    return status().restarts() > 0 || earlier >= Phase::kRunning ||
           (workers != nullptr &&
            (workers->ready() > 0 || workers->active() > 0 ||
             workers->succeeded() > 0 || workers->failed() > 0));
  }

  std::int64_t MaxRestarts() const {
    return job_set_.spec().has_failure_policy()
               ? job_set_.spec().failure_policy().max_restarts()
               : task_.max_restarts;
  }

  bool IsOutOfRestarts() const {
    const auto* const workers = Workers();
    return workers != nullptr && workers->failed() > 0 &&
           status().restarts() >= MaxRestarts();
  }

  // What the pod of rank 0 says if it has failed or is pending.
  PhaseInfo Rank0Phase() const {
    if (rank0_ == nullptr) return InPhase(Phase::kUndefined);
    const PodStatus& pod = rank0_->status();
    if (pod.phase() == "Pending") return DemystifyPending(pod, settings_, now_);
    if (pod.phase() != "Failed") return InPhase(Phase::kUndefined);
    const auto& annotations = job_set_.metadata().annotations();
    const auto primary = annotations.find(std::string(kPrimaryContainerKey));
    return DemystifyFailure(pod,
                            primary == annotations.end() ? "" : primary->second,
                            settings_.rules);
  }

  // A failure worth reporting before the JobSet has failed.
  std::optional<PhaseInfo> FastFailure(bool may_have_failed) const {
    const PhaseInfo info = Rank0Phase();
    if (!IsFailure(info.phase)) return std::nullopt;
    if (rank0_->status().phase() == "Failed" &&
        !(may_have_failed && IsOutOfRestarts())) {
      return std::nullopt;
    }
    return info;
  }

  PhaseInfo Running() const {
    if (const auto failure = FastFailure(true)) return *failure;
    return InPhase(
        Phase::kRunning,
        absl::StrFormat("running (restart attempt %d)", status().restarts()));
  }

  PhaseInfo Restarting() const {
    if (const auto failure = FastFailure(false)) return *failure;
    return InPhase(Phase::kRunning,
                   absl::StrFormat("restart in progress (attempt %d)",
                                   status().restarts()));
  }

  PhaseInfo Failed(const Condition& condition) const {
    if (task_.restart_on_host_maintenance) {
      const PhaseInfo info = Rank0Phase();
      if (info.phase == Phase::kRetryableFailure &&
          info.error->kind == ErrorKind::kSystem) {
        return WithCleanup(RetryableFailure(
            ErrorKind::kSystem, "HostMaintenance",
            "pod evicted due to host maintenance; retrying without charging "
            "max_restarts"));
      }
    }
    return RetryableFailure(ErrorKind::kUser, condition.reason,
                            condition.message);
  }

  const JobSet& job_set_;
  const Pod* const rank0_;
  const ClusteredTask& task_;
  const Settings& settings_;
  const absl::Time now_;
};

}  // namespace

PhaseInfo JobSetPhase(const JobSet& job_set, const Pods& pods,
                      const ClusteredTask& task, Phase earlier,
                      const Settings& settings, absl::Time now) {
  return JobSetTask(job_set, pods, task, settings, now).PhaseAfter(earlier);
}

absl::StatusOr<std::optional<std::int64_t>> BuildFailurePolicy(
    const ClusteredTask& task) {
  if (task.max_restarts < 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "failure_policy.max_restarts must be >= 0, got %d", task.max_restarts));
  }
  if (task.max_restarts == 0) return std::nullopt;
  return task.max_restarts;
}

}  // namespace mulligan::flyte
