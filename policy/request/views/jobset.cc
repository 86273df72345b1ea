// JobSets (JobSet 0.12).
#include <algorithm>
#include <optional>

#include "policy/limits.h"
#include "policy/request/field_path.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

template <typename Objects>
void LowestAttempt(const Objects& objects, std::optional<std::int32_t>& found) {
  for (const auto& object : objects) {
    const int attempt = RestartAttemptOf(object.metadata());
    if (attempt >= 0) found = std::min(found.value_or(attempt), attempt);
  }
}

// Returns whether a Job of this attempt has failed.
template <typename Jobs>
bool HasFailed(const Jobs& jobs, std::int32_t attempt) {
  return std::ranges::any_of(jobs, [&](const auto& job) {
    return RestartAttemptOf(job.metadata()) == attempt &&
           IsTrue(job.status().conditions(), "Failed");
  });
}

}  // namespace

bool ViewJobSet(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_job_set()) return false;
  const auto& job_set = report.job_set();
  const auto& status = job_set.status();
  view.kind_name = "JobSet";
  ViewObject(job_set, view);
  view.phase =
      status.terminal_state() == "Failed"
          ? WorkloadPhase::kGivenUp
          : PhaseBy(status.conditions(), "Completed", WorkloadPhase::kOpen);
  view.restarts = status.restarts();
  if (job_set.spec().failure_policy().has_max_restarts()) {
    view.retry_limit = job_set.spec().failure_policy().max_restarts();
  }
  view.counts = {
      {"maxRestarts", job_set.spec().failure_policy().max_restarts()},
      {"restarts", status.restarts()},
      {"restartsCountTowardsMax", status.restarts_count_towards_max()}};
  return true;
}

void BoundJobSet(const v1::FailureReport& report, const FieldPath& job_set) {
  const auto& object = report.job_set();
  const auto& rules = object.spec().failure_policy().rules();
  int patterns = 0;
  int targets = object.spec().success_policy().target_replicated_jobs_size();
  for (const auto& rule : rules) {
    patterns += rule.on_job_failure_message_patterns_size();
    targets += rule.target_replicated_jobs_size();
  }
  const FieldPath spec = job_set.In("spec");
  // Compiling a pattern costs more than any other work on a report.
  spec.Count("failurePolicy", patterns, kMaxJobSetPatterns,
             "onJobFailureMessagePatterns");
  spec.Count("replicatedJobs", object.spec().replicated_jobs_size(),
             kMaxJobSetGroups, "replicatedJobs");
  job_set.In("status").Count("replicatedJobsStatus",
                             object.status().replicated_jobs_status_size(),
                             kMaxJobSetGroups, "replicatedJobsStatus");
  spec.In("failurePolicy")
      .Count("rules", rules.size(), kMaxJobSetGroups, "rules");
  job_set.Count("spec", targets, kMaxJobSetTargets, "targetReplicatedJobs");
}

NativeCount CountJobSet(const v1::FailureReport& report, std::int32_t earlier) {
  const std::int32_t restarts = report.job_set().status().restarts();
  std::optional<std::int32_t> labelled;
  LowestAttempt(report.pods(), labelled);
  LowestAttempt(report.jobs(), labelled);
  // A restarting JobSet has counted everything that failed.
  const bool is_restarting =
      IsTrue(report.job_set().status().conditions(), "RestartingJobSet") &&
      !HasFailed(report.jobs(), restarts);
  return MakeNativeCount(labelled ? std::min(restarts, *labelled)
                                  : std::int64_t{restarts} - earlier,
                         std::int64_t{restarts} + (is_restarting ? 0 : 1),
                         "JobSet.status.restarts", restarts);
}

bool IdentifyJobSet(const v1::FailureReport& report, StableHash& hash) {
  const auto& status = report.job_set().status();
  hash.Add(static_cast<std::uint64_t>(status.restarts()));
  return status.has_restarts();
}

void DescribeJobSet(const v1::FailureReport& report, ObjectDetails& words) {
  const auto& job_set = report.job_set();
  words.tries.limit_name = "maxRestarts";
  words.tries.used = job_set.status().restarts_count_towards_max();
  words.tries.limit = job_set.spec().failure_policy().max_restarts();
  words.tries.exhausted = "ReachedMaxRestarts";
}

}  // namespace mulligan
