#include "policy/operators/jobset/restart_budget.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/repeated_field.h"
#include "policy/operators/jobset/failure_policy.h"

namespace mulligan::jobset {
namespace {

using Counters = google::protobuf::RepeatedField<std::int32_t>;

std::int32_t Increased(std::int32_t count) {
  return count == std::numeric_limits<std::int32_t>::max() ? count : count + 1;
}

absl::Status MissingLabel(const Job& job, std::string_view key) {
  return absl::FailedPreconditionError(
      absl::StrFormat("job %s has no label %s", job.metadata().name(), key));
}

absl::Status IndexOf(const Job& job, std::int32_t& index) {
  const auto& labels = job.metadata().labels();
  const auto found = labels.find(std::string(kJobIndexKey));
  if (found == labels.end()) return MissingLabel(job, kJobIndexKey);
  const std::string& text = found->second;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, index);
  if (error != std::errc() || end != last || index < 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "job %s has invalid value '%s' for label %s, must be integer",
        job.metadata().name(), text, kJobIndexKey));
  }
  return absl::OkStatus();
}

ReplicatedJobStatus* MutableGroupStatus(const std::string& name,
                                        JobSetStatus& status) {
  for (ReplicatedJobStatus& group : *status.mutable_replicated_jobs_status()) {
    if (group.name() == name) return &group;
  }
  return nullptr;
}

// Length the counters have, or will have after their first use.
int LengthOf(const Counters& counters, std::int32_t replicas) {
  return counters.empty() ? replicas : counters.size();
}

void Increase(std::int32_t index, std::int32_t replicas, Counters& counters) {
  if (counters.empty()) counters.Resize(replicas, 0);
  counters.Set(index, Increased(counters.Get(index)));
}

}  // namespace

std::int32_t ReplicasOf(const ReplicatedJob& group) {
  return group.has_replicas() ? std::max(group.replicas(), 0) : 1;
}

const ReplicatedJob* FindGroup(const JobSetSpec& spec, std::string_view name) {
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (group.name() == name) return &group;
  }
  return nullptr;
}

const ReplicatedJobStatus* FindGroupStatus(const JobSetStatus& status,
                                           std::string_view name) {
  for (const ReplicatedJobStatus& group : status.replicated_jobs_status()) {
    if (group.name() == name) return &group;
  }
  return nullptr;
}

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

bool IsBudgetUsed(const JobSetSpec& spec, const JobSetStatus& status,
                  const Gates& gates) {
  return CountedRestarts(status, gates) >= spec.failure_policy().max_restarts();
}

void CountJobSetRestart(bool counted, JobSetStatus& status) {
  status.set_restarts(Increased(status.restarts()));
  if (!counted) return;
  status.set_restarts_count_towards_max(
      Increased(status.restarts_count_towards_max()));
}

absl::Status CountJobRestart(const Job& job, const JobSetSpec& spec,
                             bool counted, JobSetStatus& status) {
  const std::string name = ReplicatedJobNameOf(job);
  if (name.empty()) return MissingLabel(job, kReplicatedJobNameKey);
  std::int32_t index = 0;
  if (absl::Status fault = IndexOf(job, index); !fault.ok()) return fault;
  const ReplicatedJob* const group = FindGroup(spec, name);
  ReplicatedJobStatus* group_status = MutableGroupStatus(name, status);
  if (group == nullptr && group_status == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrFormat("job %s belongs to no replicated job of the JobSet: %s",
                        job.metadata().name(), name));
  }
  // The webhook admits no more with the gate RestartJob.
  constexpr std::int32_t kMostReplicas = 1024;
  const std::int32_t replicas =
      group == nullptr ? 0 : std::min(ReplicasOf(*group), kMostReplicas);
  int length = replicas;
  if (group_status != nullptr) {
    length = LengthOf(group_status->job_restarts(), replicas);
    if (counted) {
      length = std::min(
          length,
          LengthOf(group_status->job_restarts_count_towards_max(), replicas));
    }
  }
  if (index >= length) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "job %s has index %d out of bounds for replicated job %s (replicas: "
        "%d)",
        job.metadata().name(), index, name, length));
  }
  if (group_status == nullptr) {
    group_status = status.add_replicated_jobs_status();
    group_status->set_name(name);
  }
  Increase(index, replicas, *group_status->mutable_job_restarts());
  if (counted) {
    Increase(index, replicas,
             *group_status->mutable_job_restarts_count_towards_max());
  }
  return absl::OkStatus();
}

}  // namespace mulligan::jobset
