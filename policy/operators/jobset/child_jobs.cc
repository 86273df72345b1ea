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

}  // namespace

absl::StatusOr<bool> IsOfEarlierAttempt(const Job& job,
                                        const JobSetStatus& status,
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

const JobCondition* FinishedCondition(const Job& job) {
  const auto& conditions = job.status().conditions();
  const auto found = std::find_if(
      conditions.begin(), conditions.end(), [](const JobCondition& condition) {
        return condition.status() == kTrue &&
               (condition.type() == kFailed || condition.type() == "Complete");
      });
  return found == conditions.end() ? nullptr : &*found;
}

void KeepAttempts(const JobSetSpec& spec, JobSetStatus& status) {
  if (spec.replicated_jobs().empty()) return;
  google::protobuf::RepeatedPtrField<ReplicatedJobStatus> groups;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    ReplicatedJobStatus& entry = *groups.Add();
    if (const auto* const old = FindGroupStatus(status, group.name())) {
      entry = *old;
    }
    entry.set_name(group.name());
  }
  status.mutable_replicated_jobs_status()->Swap(&groups);
}

}  // namespace mulligan::jobset
