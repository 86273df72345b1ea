#include "policy/operators/jobset/in_place.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {
namespace {

std::int32_t Highest(const Attempts& attempts) {
  return attempts.empty() ? 0
                          : *std::max_element(attempts.begin(), attempts.end());
}

}  // namespace

bool IsInPlace(const JobSetSpec& spec) {
  return spec.failure_policy().restart_strategy() == "InPlaceRestart";
}

std::int32_t MaxRestartCount(const Pods& pods) {
  std::int32_t highest = 0;
  for (const Pod* const pod : pods) {
    for (const auto* const statuses : {&pod->status().init_container_statuses(),
                                       &pod->status().container_statuses()}) {
      for (const auto& container : *statuses) {
        highest = std::max(highest, container.restart_count());
      }
    }
  }
  return highest;
}

absl::StatusOr<Attempts> InPlaceAttempts(const Pods& pods) {
  Attempts attempts;
  for (const Pod* const pod : pods) {
    if (pod->status().phase() == "Failed") continue;
    const auto& annotations = pod->metadata().annotations();
    const auto found = annotations.find(std::string(kInPlaceRestartAttemptKey));
    if (found == annotations.end()) continue;
    std::int32_t attempt = 0;
    const char* const last = found->second.data() + found->second.size();
    const auto [end, error] =
        std::from_chars(found->second.data(), last, attempt);
    if (error != std::errc() || end != last || attempt < 0) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "invalid value for annotation %s, must be non-negative integer",
          kInPlaceRestartAttemptKey));
    }
    attempts.push_back(attempt);
  }
  return attempts;
}

bool ExceedsMaxRestarts(const JobSetSpec& spec, const JobSetStatus& status,
                        const Attempts& attempts) {
  const std::int64_t uncounted =
      std::int64_t{status.restarts()} - status.restarts_count_towards_max();
  return Highest(attempts) - uncounted > spec.failure_policy().max_restarts();
}

absl::StatusOr<std::int64_t> ExpectedPods(const JobSetSpec& spec) {
  std::int64_t total = 0;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    const auto& job = group.template_().spec();
    if (!job.has_completions() || !job.has_parallelism() ||
        job.completions() != job.parallelism()) {
      return absl::FailedPreconditionError(absl::StrFormat(
          "%s: in-place restart requires jobTemplate.spec.completions == "
          "jobTemplate.spec.parallelism != nil",
          group.name()));
    }
    total += std::int64_t{ReplicasOf(group)} * job.parallelism();
  }
  return total;
}

bool AreEqual(const Attempts& attempts) {
  return !attempts.empty() &&
         std::count(attempts.begin(), attempts.end(), attempts.front()) ==
             static_cast<std::int64_t>(attempts.size());
}

bool UpdateCurrentAttempt(const Attempts& attempts, JobSetStatus& status) {
  if (attempts.empty() ||
      (status.has_current_in_place_restart_attempt() &&
       status.current_in_place_restart_attempt() == attempts.front())) {
    return false;
  }
  status.set_current_in_place_restart_attempt(attempts.front());
  return true;
}

bool UpdatePreviousAttempt(const Attempts& attempts, JobSetStatus& status) {
  const std::int32_t previous = Highest(attempts) - 1;
  const std::int32_t known = status.has_previous_in_place_restart_attempt()
                                 ? status.previous_in_place_restart_attempt()
                                 : -1;
  if (previous <= known) return false;
  status.set_previous_in_place_restart_attempt(previous);
  return true;
}

absl::Status ReconcileInPlace(const JobSetSpec& spec, const Pods& pods,
                              StatusChange& change) {
  if (MaxRestartCount(pods) > spec.failure_policy().max_restarts()) {
    SetFailed(kReachedMaxRestarts, kReachedMaxRestartsMessage, change);
    return absl::OkStatus();
  }
  const absl::StatusOr<Attempts> attempts = InPlaceAttempts(pods);
  if (!attempts.ok()) return attempts.status();
  if (ExceedsMaxRestarts(spec, change.status, *attempts)) {
    SetFailed(kReachedMaxRestarts, kReachedMaxRestartsMessage, change);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::int64_t> expected = ExpectedPods(spec);
  if (!expected.ok()) return expected.status();
  const bool complete =
      static_cast<std::int64_t>(attempts->size()) == *expected;
  change.updated |= complete && AreEqual(*attempts)
                        ? UpdateCurrentAttempt(*attempts, change.status)
                        : UpdatePreviousAttempt(*attempts, change.status);
  return absl::OkStatus();
}

}  // namespace mulligan::jobset
