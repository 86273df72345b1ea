#include "policy/operators/jobset/success_policy.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {

bool IsTarget(const SuccessPolicy& policy, std::string_view group) {
  const auto& targets = policy.target_replicated_jobs();
  return targets.empty() ||
         std::find(targets.begin(), targets.end(), group) != targets.end();
}

std::int64_t TargetedJobs(const SuccessPolicy& policy, const Jobs& jobs) {
  return std::count_if(jobs.begin(), jobs.end(), [&](const Job* job) {
    return IsTarget(policy, ReplicatedJobNameOf(*job));
  });
}

std::int64_t ExpectedSuccesses(const JobSetSpec& spec) {
  const SuccessPolicy& policy = spec.success_policy();
  if (policy.operator_() == "Any") return 1;
  std::int64_t total = 0;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (IsTarget(policy, group.name())) total += ReplicasOf(group);
  }
  return total;
}

bool MeetsSuccessPolicy(const JobSetSpec& spec, const Jobs& successful) {
  return !successful.empty() &&
         TargetedJobs(spec.success_policy(), successful) >=
             ExpectedSuccesses(spec);
}

}  // namespace mulligan::jobset
