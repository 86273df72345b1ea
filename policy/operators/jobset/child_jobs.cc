#include "policy/operators/jobset/child_jobs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {
namespace {

constexpr std::int64_t kNoLabel = std::numeric_limits<std::int64_t>::max();

// The number in a label; kNoLabel when it is absent.
absl::StatusOr<std::int64_t> NumberLabel(const Job& job, std::string_view key) {
  const auto& labels = job.metadata().labels();
  const auto found = labels.find(std::string(key));
  if (found == labels.end()) return kNoLabel;
  std::int64_t number = 0;
  const char* const last = found->second.data() + found->second.size();
  const auto [end, error] = std::from_chars(found->second.data(), last, number);
  if (error != std::errc() || end != last) {
    return absl::InvalidArgumentError(
        absl::StrFormat("job %s: invalid value for label %s, must be integer",
                        job.metadata().name(), key));
  }
  return number;
}

// Restarts of this Job alone; 0 when it has no counter.
absl::StatusOr<std::int64_t> RestartsOf(const Job& job,
                                        const JobSetStatus& status) {
  const ReplicatedJobStatus* const group =
      FindGroupStatus(status, ReplicatedJobNameOf(job));
  absl::StatusOr<std::int64_t> index = NumberLabel(job, kJobIndexKey);
  if (!index.ok()) return index;
  if (group == nullptr || *index < 0 || *index >= group->job_restarts_size()) {
    return 0;
  }
  return group->job_restarts(static_cast<int>(*index));
}

absl::StatusOr<bool> IsPrevious(const Job& job, const JobSetStatus& status,
                                const Gates& gates) {
  const auto attempt = NumberLabel(job, kRestartAttemptKey);
  if (!attempt.ok()) return attempt.status();
  if (*attempt < status.restarts()) return true;
  if (!gates.restart_job) return false;
  const auto job_attempt = NumberLabel(job, kJobRestartAttemptKey);
  if (!job_attempt.ok()) return job_attempt.status();
  const auto restarts = RestartsOf(job, status);
  if (!restarts.ok()) return restarts.status();
  return *job_attempt < *restarts;
}

Jobs& BucketOf(const Job& job, ChildJobs& jobs) {
  for (const JobCondition& condition : job.status().conditions()) {
    if (condition.status() != kTrue) continue;
    if (condition.type() == kFailed) return jobs.failed;
    if (condition.type() == "Complete") return jobs.successful;
  }
  return jobs.active;
}

// Whether as many pods are ready or done as run at a time.
bool IsReady(const Job& job) {
  std::int32_t pods =
      job.spec().has_parallelism() ? job.spec().parallelism() : 1;
  if (job.spec().has_completions()) {
    pods = std::min(pods, job.spec().completions());
  }
  return job.status().succeeded() + job.status().ready() >= pods;
}

bool IsDone(const ReplicatedJobStatus& status, std::int32_t replicas) {
  return status.ready() + status.succeeded() >= replicas;
}

}  // namespace

absl::StatusOr<ChildJobs> SortChildJobs(const JobSetStatus& status,
                                        const Jobs& jobs, const Gates& gates) {
  ChildJobs sorted;
  for (const Job* const job : jobs) {
    const absl::StatusOr<bool> previous = IsPrevious(*job, status, gates);
    if (!previous.ok()) return previous.status();
    Jobs& bucket = *previous ? sorted.previous : BucketOf(*job, sorted);
    bucket.push_back(job);
  }
  return sorted;
}

void RefreshReplicatedJobsStatus(const JobSetSpec& spec, const ChildJobs& jobs,
                                 JobSetStatus& status) {
  if (spec.replicated_jobs().empty()) return;
  google::protobuf::RepeatedPtrField<ReplicatedJobStatus> refreshed;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    ReplicatedJobStatus& entry = *refreshed.Add();
    entry.set_name(group.name());
    if (const auto* const old = FindGroupStatus(status, group.name())) {
      *entry.mutable_job_restarts() = old->job_restarts();
      *entry.mutable_job_restarts_count_towards_max() =
          old->job_restarts_count_towards_max();
    }
    const auto count = [&](const Jobs& list, auto holds) {
      return static_cast<std::int32_t>(
          std::count_if(list.begin(), list.end(), [&](const Job* job) {
            return ReplicatedJobNameOf(*job) == group.name() && holds(*job);
          }));
    };
    const auto any = [](const Job&) { return true; };
    entry.set_ready(count(jobs.active, IsReady));
    entry.set_succeeded(count(jobs.successful, any));
    entry.set_failed(count(jobs.failed, any));
    entry.set_active(count(
        jobs.active, [](const Job& job) { return job.status().active() > 0; }));
    entry.set_suspended(count(
        jobs.active, [](const Job& job) { return job.spec().suspend(); }));
  }
  status.mutable_replicated_jobs_status()->Swap(&refreshed);
}

bool AreAllJobsReady(const JobSetSpec& spec, const JobSetStatus& status) {
  return !spec.replicated_jobs().empty() &&
         std::all_of(
             spec.replicated_jobs().begin(), spec.replicated_jobs().end(),
             [&](const ReplicatedJob& group) {
               const auto* const entry = FindGroupStatus(status, group.name());
               return entry != nullptr && IsDone(*entry, ReplicasOf(group));
             });
}

}  // namespace mulligan::jobset
