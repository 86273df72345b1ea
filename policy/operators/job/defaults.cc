#include "policy/operators/job/defaults.h"

#include <cstdint>
#include <limits>

#include "policy/operators/job/counting.h"

namespace mulligan::job {
namespace {

constexpr std::int32_t kBackoffLimit = 6;
// With limits per index the common one is out of the way.
constexpr std::int32_t kBackoffLimitWithPerIndex =
    std::numeric_limits<std::int32_t>::max();

}  // namespace

void SetPodFailurePolicyDefaults(PodFailurePolicy& policy) {
  for (PodFailurePolicyRule& rule : *policy.mutable_rules()) {
    for (auto& pattern : *rule.mutable_on_pod_conditions()) {
      if (pattern.status().empty()) pattern.set_status("True");
    }
  }
}

void SetJobDefaults(const Gates& gates, JobSpec& spec) {
  if (!spec.has_completions() && !spec.has_parallelism()) {
    spec.set_completions(1);
  }
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit()) {
    spec.set_backoff_limit(HasBackoffLimitPerIndex(spec, gates)
                               ? kBackoffLimitWithPerIndex
                               : kBackoffLimit);
  }
  if (!spec.has_completion_mode()) spec.set_completion_mode("NonIndexed");
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_pod_replacement_policy() && gates.pod_replacement_policy) {
    spec.set_pod_replacement_policy(
        spec.has_pod_failure_policy() ? "Failed" : "TerminatingOrFailed");
  }
  if (spec.has_pod_failure_policy()) {
    SetPodFailurePolicyDefaults(*spec.mutable_pod_failure_policy());
  }
}

}  // namespace mulligan::job
