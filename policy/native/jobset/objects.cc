#include "policy/native/jobset/objects.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace mulligan::jobset {
namespace {

constexpr std::array<SwitchRow<Gates>, 5> kSwitches = {{
    {"RestartJob", &Gates::restart_job},
    {"InPlaceRestart", &Gates::in_place_restart},
    {"", &Gates::message_patterns, 10},
    {"", &Gates::restart_job_actions, 12},
    {"", &Gates::restarting_condition, 12},
}};

// Labels with the restarts of the JobSet and of the Job at its creation.
constexpr char kRestartAttemptKey[] = "jobset.sigs.k8s.io/restart-attempt";
constexpr char kJobRestartAttemptKey[] =
    "jobset.sigs.k8s.io/job-restart-attempt";

// Returns the restarts of this Job alone; 0 without a counter.
absl::StatusOr<std::int64_t> RestartsOf(const Job& job,
                                        const JobSetStatus& status) {
  const auto* const group =
      FindNamed(status.replicated_jobs_status(), ReplicatedJobNameOf(job));
  const auto index = NumberLabel(job, kJobIndexKey);
  if (!index.ok()) return index;
  if (group == nullptr || *index < 0 || *index >= group->job_restarts_size()) {
    return 0;
  }
  return group->job_restarts(static_cast<int>(*index));
}

}  // namespace

Setup<Gates> GatesFor(const v1::NativeSemantics& semantics) {
  return SetUpBy(semantics, {"jobset", 0, 12, 12}, kSwitches);
}

bool IsFinished(const JobSetStatus& status) {
  return !status.terminal_state().empty() ||
         IsTrue(status.conditions(), kCompleted) ||
         IsTrue(status.conditions(), kFailed);
}

const JobCondition* FinishedCondition(const Job& job) {
  return FindIn(job.status().conditions(), [](const JobCondition& condition) {
    return condition.status() == "True" &&
           (condition.type() == kFailed || condition.type() == "Complete");
  });
}

const JobCondition* FailedCondition(const Job& job) {
  const JobCondition* const finished = FinishedCondition(job);
  return finished != nullptr && finished->type() == kFailed ? finished
                                                            : nullptr;
}

std::string ReplicatedJobNameOf(const Job& job) {
  return ValueAt(job.metadata().labels(), kReplicatedJobNameKey);
}

absl::StatusOr<std::int64_t> NumberLabel(const Job& job, const char* key) {
  const std::string* const text = FindValue(job.metadata().labels(), key);
  if (text == nullptr) return kNoLabel;
  const std::optional<std::int64_t> number = GoInteger(*text);
  if (number.has_value()) return *number;
  return absl::InvalidArgumentError(
      absl::StrFormat("job %s: invalid value for label %s, must be integer",
                      job.metadata().name(), key));
}

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

std::int32_t ReplicasOf(const ReplicatedJob& group) {
  return group.has_replicas() ? std::max(group.replicas(), 0) : 1;
}

}  // namespace mulligan::jobset
