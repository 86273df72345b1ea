#include "policy/operators/kueue/jobs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/operators/job/pods.h"

namespace mulligan::kueue {
namespace {

template <typename Conditions>
std::optional<JobEnd> EndBy(const Conditions& conditions,
                            std::string_view success) {
  for (const std::string_view type : {success, std::string_view("Failed")}) {
    for (const auto& condition : conditions) {
      if (condition.type() == type && condition.status() == "True") {
        return JobEnd{type == success, condition.message()};
      }
    }
  }
  return std::nullopt;
}

std::int64_t PodsWanted(const Job& job) {
  const std::int64_t parallelism =
      job.spec().has_parallelism() ? job.spec().parallelism() : 1;
  if (!job.spec().has_completions()) return parallelism;
  return std::min<std::int64_t>(parallelism, job.spec().completions());
}

}  // namespace

std::optional<JobEnd> EndOf(const Job& job) {
  return EndBy(job.status().conditions(), "Complete");
}

std::optional<JobEnd> EndOf(const JobSet& job_set) {
  return EndBy(job_set.status().conditions(), "Completed");
}

std::optional<JobEnd> EndOf(const Pod& pod) {
  const bool success = job::HasPhase(pod, "Succeeded");
  if (!success && !job::HasPhase(pod, "Failed")) {
    return std::nullopt;
  }
  return JobEnd{success, pod.status().message()};
}

bool ArePodsReady(const Job& job) {
  const auto& uncounted = job.status().uncounted_terminated_pods();
  const std::int64_t done = std::int64_t{job.status().succeeded()} +
                            uncounted.succeeded_size() + job.status().ready();
  return done >= PodsWanted(job);
}

bool ArePodsReady(const JobSet& job_set) {
  std::int64_t wanted = 0;
  for (const auto& group : job_set.spec().replicated_jobs()) {
    wanted += group.has_replicas() ? group.replicas() : 1;
  }
  std::int64_t ready = 0;
  for (const auto& group : job_set.status().replicated_jobs_status()) {
    ready += std::int64_t{group.ready()} + group.succeeded();
  }
  return wanted == ready;
}

}  // namespace mulligan::kueue
