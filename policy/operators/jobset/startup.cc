#include "policy/operators/jobset/startup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {
namespace {

// Jobs of a pass that are listed; `replicas` may be any number.
constexpr std::size_t kMostListed = 1024;

std::string PlaceKey(const std::string& group, const std::string& index) {
  return absl::StrFormat("%s/%s", group, index);
}

std::set<std::string> TakenPlaces(const ChildJobs& jobs) {
  std::set<std::string> taken;
  for (const Jobs* const bucket :
       {&jobs.active, &jobs.successful, &jobs.failed, &jobs.previous}) {
    for (const Job* const job : *bucket) {
      const auto& labels = job->metadata().labels();
      const auto index = labels.find(std::string(kJobIndexKey));
      if (index == labels.end()) continue;
      taken.insert(PlaceKey(ReplicatedJobNameOf(*job), index->second));
    }
  }
  return taken;
}

bool HasStarted(const ReplicatedJobStatus* status, std::int32_t replicas) {
  return status != nullptr &&
         status->ready() + status->succeeded() + status->failed() == replicas;
}

bool AreDependenciesMet(const ReplicatedJob& group, const JobSetSpec& spec,
                        const JobSetStatus& status) {
  return std::all_of(
      group.depends_on().begin(), group.depends_on().end(),
      [&](const auto& dependency) {
        const ReplicatedJob* const other = FindGroup(spec, dependency.name());
        const auto* const reached = FindGroupStatus(status, dependency.name());
        if (other == nullptr || reached == nullptr) return false;
        const std::int32_t replicas = ReplicasOf(*other);
        return dependency.status() == "Complete"
                   ? reached->succeeded() == replicas
                   : HasStarted(reached, replicas);
      });
}

}  // namespace

Startup StartJobs(const JobSet& job_set, const ChildJobs& jobs,
                  StatusChange& change) {
  const JobSetSpec& spec = job_set.spec();
  const bool blocked =
      !jobs.previous.empty() &&
      spec.failure_policy().restart_strategy() == "BlockingRecreate";
  const bool in_order =
      !spec.suspend() &&
      spec.startup_policy().startup_policy_order() == "InOrder";
  const std::set<std::string> taken = TakenPlaces(jobs);
  Startup startup;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (!AreDependenciesMet(group, spec, change.status)) continue;
    const std::int32_t replicas = ReplicasOf(group);
    if (in_order &&
        HasStarted(FindGroupStatus(change.status, group.name()), replicas)) {
      continue;
    }
    for (std::int32_t i = 0;
         i < replicas && !blocked && startup.created.size() < kMostListed;
         ++i) {
      if (taken.count(PlaceKey(group.name(), absl::StrFormat("%d", i))) == 0) {
        startup.created.push_back({group.name(), i});
      }
    }
    if (in_order) {
      SetCondition(kStartupInProgress, kTrue, "InOrderStartupPolicyInProgress",
                   "in order startup policy is in progress", change);
      startup.waits = true;
      return startup;
    }
  }
  if (in_order) {
    SetCondition(kStartupCompleted, kTrue, "InOrderStartupPolicyCompleted",
                 "in order startup policy has completed", change);
  }
  return startup;
}

}  // namespace mulligan::jobset
