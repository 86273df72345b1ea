// What a failure policy's actions do to a JobSet, and to its counters of
// restarts: for the whole JobSet and for each child Job.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/repeated_field.h"
#include "policy/operators/jobset/decision.h"
#include "policy/operators/jobset/failure_policy.h"

namespace mulligan::jobset {
namespace {

using Counters = google::protobuf::RepeatedField<std::int32_t>;

struct ActionRow {
  std::string_view name;
  bool restarts_job;
  bool counted;
};

// The action when no rule applies.
constexpr std::string_view kRestartJobSet = "RestartJobSet";
constexpr std::array<ActionRow, 5> kActions = {{
    {kFailJobSet, false, false},
    {kRestartJobSet, false, true},
    {"RestartJobSetAndIgnoreMaxRestarts", false, false},
    {"RestartJob", true, true},
    {"RestartJobAndIgnoreMaxRestarts", true, false},
}};

const ActionRow* FindAction(std::string_view name) {
  const auto* const found =
      std::find_if(kActions.begin(), kActions.end(),
                   [&](const ActionRow& row) { return row.name == name; });
  return found == kActions.end() ? nullptr : found;
}

// Why the controller cannot apply the action.
absl::Status CheckAction(const ActionRow* row, std::string_view name,
                         const Gates& gates) {
  if (row == nullptr || (row->restarts_job && !gates.restart_job_actions)) {
    return absl::UnimplementedError(
        absl::StrFormat("failed to find a corresponding action for the "
                        "FailurePolicyRuleAction %s",
                        name));
  }
  if (row->restarts_job && !gates.restart_job) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s failure policy action cannot be used when the feature gate "
        "RestartJob is disabled",
        name));
  }
  return absl::OkStatus();
}

// Restarts compared with maxRestarts: those of the JobSet, and, only with the
// gate RestartJob, those of single Jobs.
std::int64_t CountedRestarts(const JobSetStatus& status, const Gates& gates) {
  std::int64_t total = status.restarts_count_towards_max();
  if (!gates.restart_job) return total;
  for (const ReplicatedJobStatus& group : status.replicated_jobs_status()) {
    for (const std::int32_t count : group.job_restarts_count_towards_max()) {
      total += count;
    }
  }
  return total;
}

// Counters saturate; the controller's overflow.
std::int32_t Increased(std::int32_t count) {
  return count == std::numeric_limits<std::int32_t>::max() ? count : count + 1;
}

void CountJobSetRestart(bool counted, JobSetStatus& status) {
  status.set_restarts(Increased(status.restarts()));
  if (!counted) return;
  status.set_restarts_count_towards_max(
      Increased(status.restarts_count_towards_max()));
}

absl::Status MissingLabel(const Job& job, std::string_view key) {
  return absl::FailedPreconditionError(
      absl::StrFormat("job %s has no label %s", job.metadata().name(), key));
}

// Counts a restart of one child Job. The counters of its group get the length
// of the group at their first use and keep it. An error, without any change,
// when the Job's labels do not lead to a counter.
absl::Status CountJobRestart(const Job& job, const JobSetSpec& spec,
                             bool counted, JobSetStatus& status) {
  const std::string& job_name = job.metadata().name();
  const std::string name = ReplicatedJobNameOf(job);
  if (name.empty()) return MissingLabel(job, kReplicatedJobNameKey);
  const absl::StatusOr<std::int64_t> index = NumberLabel(job, kJobIndexKey);
  if (!index.ok()) return index.status();
  if (*index == kNoLabel) return MissingLabel(job, kJobIndexKey);
  if (*index < 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "job %s has invalid value '%d' for label %s, must be integer", job_name,
        *index, kJobIndexKey));
  }
  auto& groups = *status.mutable_replicated_jobs_status();
  const auto group = std::find_if(
      groups.begin(), groups.end(),
      [&](const ReplicatedJobStatus& each) { return each.name() == name; });
  if (group == groups.end()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("job %s belongs to no replicated job of the JobSet: %s",
                        job_name, name));
  }
  // The webhook admits no more with the gate RestartJob.
  constexpr std::int32_t kMostReplicas = 1024;
  const ReplicatedJob* const replicated =
      FindGroup(spec.replicated_jobs(), name);
  const std::int32_t replicas =
      replicated == nullptr ? 0
                            : std::min(ReplicasOf(*replicated), kMostReplicas);
  const auto length_of = [&](const Counters& counters) {
    return counters.empty() ? replicas : counters.size();
  };
  int length = length_of(group->job_restarts());
  if (counted) {
    length =
        std::min(length, length_of(group->job_restarts_count_towards_max()));
  }
  if (*index >= length) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "job %s has index %d out of bounds for replicated job %s (replicas: "
        "%d)",
        job_name, *index, name, length));
  }
  const auto increase = [&](Counters& counters) {
    if (counters.empty()) counters.Resize(replicas, 0);
    std::int32_t& count = *counters.Mutable(static_cast<int>(*index));
    count = Increased(count);
  };
  increase(*group->mutable_job_restarts());
  if (counted) increase(*group->mutable_job_restarts_count_towards_max());
  return absl::OkStatus();
}

Verdict Fail(const Job& job, std::string reason, std::string_view message) {
  Verdict verdict;
  verdict.action = std::string(kFailJobSet);
  verdict.job = &job;
  verdict.reason = std::move(reason);
  verdict.message = absl::StrFormat("%s (first failed job: %s)", message,
                                    job.metadata().name());
  return verdict;
}

}  // namespace

bool IsKnownAction(std::string_view action) {
  return FindAction(action) != nullptr;
}

bool IsJobAction(std::string_view action) {
  const ActionRow* const row = FindAction(action);
  return row != nullptr && row->restarts_job;
}

absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           PatternAllowance& patterns,
                                           JobSetStatus& status) {
  if (!spec.has_failure_policy()) {
    return Fail(*FirstFailedJob(failed), "FailedJobs",
                "jobset failed due to one or more job failures");
  }
  const RuleMatch match =
      FindRule(spec.failure_policy(), failed, gates, patterns);
  const Job& job = match.rule == nullptr ? *FirstFailedJob(failed) : *match.job;
  const std::string_view name = match.rule == nullptr
                                    ? kRestartJobSet
                                    : std::string_view(match.rule->action());
  const ActionRow* const row = FindAction(name);
  if (absl::Status fault = CheckAction(row, name, gates); !fault.ok()) {
    return fault;
  }
  Verdict verdict =
      Fail(job, "FailJobSetFailurePolicyAction",
           absl::StrFormat("applying %s failure policy action", name));
  if (name == kFailJobSet) return verdict;
  verdict.counted = row->counted;
  // maxRestarts N allows N. A negative number acts like 0.
  if (row->counted &&
      CountedRestarts(status, gates) >= spec.failure_policy().max_restarts()) {
    verdict = Fail(job, kReachedMaxRestarts, kReachedMaxRestartsMessage);
    verdict.counted = true;
    // A failure beyond the budget is in no counter.
    verdict.used = CountedRestarts(status, gates) + 1;
    return verdict;
  }
  verdict.action = std::string(name);
  verdict.reason.clear();
  if (row->restarts_job) {
    absl::Status fault = CountJobRestart(job, spec, row->counted, status);
    if (!fault.ok()) return fault;
  } else {
    CountJobSetRestart(row->counted, status);
    if (gates.restarting_condition) {
      verdict.reason =
          match.rule == nullptr
              ? "DefaultFailurePolicy"
              : absl::StrFormat("FailurePolicy_%s", match.rule->name());
    }
  }
  if (row->counted) verdict.used = CountedRestarts(status, gates);
  return verdict;
}

}  // namespace mulligan::jobset
