#include "policy/operators/job/verdict.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/job/conditions.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/success_policy.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::job {
namespace {

using Verdict = std::optional<JobCondition>;

Verdict RecordedSuccess(const VerdictInput& input) {
  const auto* const recorded =
      FindTrue(input.job.status(), kSuccessCriteriaMet);
  return recorded == nullptr ? Verdict() : *recorded;
}

Verdict RecordedFailure(const VerdictInput& input) {
  const auto* const recorded = FindTrue(input.job.status(), kFailureTarget);
  if (recorded == nullptr) return std::nullopt;
  return MakeCondition(kFailed, recorded->reason(), recorded->message(),
                       input.now);
}

Verdict FailedByPodFailurePolicy(const VerdictInput& input) {
  const auto* const policy = PodFailurePolicyOf(input.job.spec(), input.gates);
  for (const Pod* pod : input.pods) {
    if (!IsPodFailed(*pod, input.job.spec(), input.gates)) continue;
    const auto match = MatchPodFailurePolicy(policy, *pod, input.gates);
    if (match.message.has_value()) {
      // Written as FailureTarget in every release: the message must outlive
      // the pod it is about.
      return MakeCondition(kFailureTarget, "PodFailurePolicy", *match.message,
                           input.now);
    }
  }
  return std::nullopt;
}

bool ExceedsBackoffLimit(const VerdictInput& input) {
  return input.failures > input.job.spec().backoff_limit() ||
         ExceedsOnFailureLimit(input.job.spec(), input.pods);
}

bool ExceedsDeadline(const VerdictInput& input) {
  const JobSpec& spec = input.job.spec();
  const JobStatus& status = input.job.status();
  if (!spec.has_active_deadline_seconds() || IsSuspended(spec) ||
      !status.has_start_time() || IsZero(status.start_time())) {
    return false;
  }
  return input.now - TimeOf(status.start_time()) >=
         absl::Seconds(spec.active_deadline_seconds());
}

bool HasIndexLimits(const VerdictInput& input) {
  return IsIndexed(input.job.spec()) &&
         HasBackoffLimitPerIndex(input.job.spec(), input.gates);
}

bool ExceedsMaxFailedIndexes(const VerdictInput& input) {
  return HasIndexLimits(input) && input.job.spec().has_max_failed_indexes() &&
         input.failed_indexes.total() > input.job.spec().max_failed_indexes();
}

bool HasOnlySettledIndexes(const VerdictInput& input) {
  const std::int64_t failed = input.failed_indexes.total();
  return HasIndexLimits(input) && failed > 0 &&
         failed + input.succeeded_indexes.total() >=
             input.job.spec().completions();
}

struct Limit {
  bool (*applies)(const VerdictInput&);
  std::string_view reason;
  std::string_view message;
};

constexpr std::array<Limit, 4> kLimits = {{
    {ExceedsBackoffLimit, "BackoffLimitExceeded",
     "Job has reached the specified backoff limit"},
    {ExceedsDeadline, "DeadlineExceeded",
     "Job was active longer than specified deadline"},
    {ExceedsMaxFailedIndexes, "MaxFailedIndexesExceeded",
     "Job has exceeded the specified maximal number of failed indexes"},
    {HasOnlySettledIndexes, "FailedIndexes", "Job has failed indexes"},
}};

Verdict FailedByLimit(const VerdictInput& input) {
  for (const Limit& limit : kLimits) {
    if (!limit.applies(input)) continue;
    return MakeCondition(
        DelaysTerminalCondition(input.gates) ? kFailureTarget : kFailed,
        limit.reason, limit.message, input.now);
  }
  return std::nullopt;
}

Verdict SucceededByPolicy(const VerdictInput& input) {
  const JobSpec& spec = input.job.spec();
  if (!input.gates.success_policy || !IsIndexed(spec) ||
      !spec.has_success_policy()) {
    return std::nullopt;
  }
  const auto rule = MatchSuccessPolicy(
      spec.success_policy(), spec.completions(), input.succeeded_indexes);
  if (!rule.has_value()) return std::nullopt;
  return MakeCondition(kSuccessCriteriaMet, "SuccessPolicy",
                       absl::StrFormat("Matched rules at index %d", *rule),
                       input.now);
}

}  // namespace

std::optional<JobCondition> TerminalVerdict(const VerdictInput& input) {
  for (const auto& check :
       {RecordedSuccess, RecordedFailure, FailedByPodFailurePolicy,
        FailedByLimit, SucceededByPolicy}) {
    if (Verdict verdict = check(input)) return verdict;
  }
  return std::nullopt;
}

}  // namespace mulligan::job
