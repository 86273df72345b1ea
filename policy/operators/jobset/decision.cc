#include "policy/operators/jobset/decision.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "policy/operators/go_text.h"

namespace mulligan::jobset {
namespace {

constexpr std::string_view kController = "jobset.sigs.k8s.io/jobset-controller";
// Annotation of pods: the attempt their restart agent is at.
constexpr char kInPlaceRestartAttemptKey[] =
    "jobset.sigs.k8s.io/in-place-restart-attempt";

bool IsLeftAlone(const JobSet& job_set) {
  const JobSetSpec& spec = job_set.spec();
  return job_set.metadata().has_deletion_timestamp() ||
         (spec.has_managed_by() && spec.managed_by() != kController) ||
         IsFinished(job_set.status());
}

bool IsTarget(const SuccessPolicy& policy, std::string_view group) {
  const auto& targets = policy.target_replicated_jobs();
  return targets.empty() ||
         std::find(targets.begin(), targets.end(), group) != targets.end();
}

bool MeetsSuccessPolicy(const JobSetSpec& spec, const Jobs& successful) {
  if (successful.empty()) return false;
  const SuccessPolicy& policy = spec.success_policy();
  std::int64_t wanted = 0;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (IsTarget(policy, group.name())) wanted += ReplicasOf(group);
  }
  if (policy.operator_() == "Any") wanted = 1;
  return std::count_if(successful.begin(), successful.end(),
                       [&](const Job* job) {
                         return IsTarget(policy, ReplicatedJobNameOf(*job));
                       }) >= wanted;
}

std::int64_t MostContainerRestarts(const Pods& pods) {
  std::int64_t most = 0;
  for (const Pod* const pod : pods) {
    for (const auto* const statuses : {&pod->status().init_container_statuses(),
                                       &pod->status().container_statuses()}) {
      for (const auto& container : *statuses) {
        most = std::max<std::int64_t>(most, container.restart_count());
      }
    }
  }
  return most;
}

// The highest attempt that a restart agent has written on a pod; 0 without.
absl::StatusOr<std::int64_t> HighestAttempt(const Pods& pods) {
  std::int64_t highest = 0;
  for (const Pod* const pod : pods) {
    if (pod->status().phase() == "Failed") continue;
    const auto& annotations = pod->metadata().annotations();
    const auto found = annotations.find(kInPlaceRestartAttemptKey);
    if (found == annotations.end()) continue;
    const std::int64_t attempt = GoInteger(found->second).value_or(-1);
    if (attempt < 0 || attempt > std::numeric_limits<std::int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "invalid value for annotation %s, must be non-negative integer",
          kInPlaceRestartAttemptKey));
    }
    highest = std::max(highest, attempt);
  }
  return highest;
}

// Fails the JobSet when its pods were restarted in place too often.
absl::StatusOr<std::optional<Verdict>> LimitInPlace(const JobSetSpec& spec,
                                                    const JobSetStatus& status,
                                                    const Pods& pods) {
  const std::int64_t limit = spec.failure_policy().max_restarts();
  std::int64_t used = MostContainerRestarts(pods);
  if (used <= limit) {
    const absl::StatusOr<std::int64_t> highest = HighestAttempt(pods);
    if (!highest.ok()) return highest.status();
    used = *highest - (status.restarts() - status.restarts_count_towards_max());
  }
  if (used <= limit) return std::nullopt;
  Verdict verdict;
  verdict.action = std::string(kFailJobSet);
  verdict.reason = kReachedMaxRestarts;
  verdict.message = kReachedMaxRestartsMessage;
  verdict.counted = true;
  verdict.used = used;
  return verdict;
}

// The Jobs of this attempt.
struct CurrentJobs {
  Jobs failed;
  Jobs successful;
  Jobs running;
};

absl::StatusOr<CurrentJobs> Sort(const DecisionInput& input) {
  CurrentJobs current;
  for (const Job* const job : input.jobs) {
    const absl::StatusOr<bool> earlier =
        IsOfEarlierAttempt(*job, input.job_set.status(), input.gates);
    if (!earlier.ok()) return earlier.status();
    if (*earlier) continue;
    const JobCondition* const finished = FinishedCondition(*job);
    Jobs& bucket = finished == nullptr           ? current.running
                   : finished->type() == kFailed ? current.failed
                                                 : current.successful;
    bucket.push_back(job);
  }
  return current;
}

// Lists status.replicatedJobsStatus as the controller does: an entry for each
// group of the spec.
void KeepAttempts(const JobSetSpec& spec, JobSetStatus& status) {
  if (spec.replicated_jobs().empty()) return;
  google::protobuf::RepeatedPtrField<ReplicatedJobStatus> groups;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    ReplicatedJobStatus& entry = *groups.Add();
    if (const auto* const old =
            FindGroup(status.replicated_jobs_status(), group.name())) {
      entry = *old;
    }
    entry.set_name(group.name());
  }
  status.mutable_replicated_jobs_status()->Swap(&groups);
}

absl::StatusOr<std::optional<Verdict>> DecideOnJobs(const DecisionInput& input,
                                                    const CurrentJobs& jobs,
                                                    JobSetStatus& status) {
  const JobSetSpec& spec = input.job_set.spec();
  if (jobs.failed.empty() && MeetsSuccessPolicy(spec, jobs.successful)) {
    Verdict verdict;
    verdict.action = std::string(kCompleted);
    verdict.reason = "AllJobsCompleted";
    verdict.message = "jobset completed successfully";
    return verdict;
  }
  Jobs failed = jobs.failed;
  if (failed.empty() && input.gates.in_place_restart &&
      spec.failure_policy().restart_strategy() == "InPlaceRestart") {
    auto verdict = LimitInPlace(spec, status, input.pods);
    if (!verdict.ok() || verdict->has_value()) return verdict;
  }
  if (failed.empty()) failed = input.foresee(jobs.running);
  if (failed.empty()) return std::nullopt;
  return ApplyFailurePolicy(spec, failed, input.gates, input.patterns, status);
}

}  // namespace

absl::StatusOr<Decision> DecideJobSet(const DecisionInput& input) {
  Decision decision;
  decision.status = input.job_set.status();
  if (IsLeftAlone(input.job_set)) return decision;
  const absl::StatusOr<CurrentJobs> jobs = Sort(input);
  if (!jobs.ok()) return jobs.status();
  KeepAttempts(input.job_set.spec(), decision.status);
  auto verdict = DecideOnJobs(input, *jobs, decision.status);
  if (!verdict.ok()) return verdict.status();
  decision.verdict = *std::move(verdict);
  return decision;
}

}  // namespace mulligan::jobset
