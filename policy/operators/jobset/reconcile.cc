#include "policy/operators/jobset/reconcile.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/operators/jobset/child_jobs.h"
#include "policy/operators/jobset/in_place.h"
#include "policy/operators/jobset/success_policy.h"

namespace mulligan::jobset {
namespace {

constexpr std::string_view kController = "jobset.sigs.k8s.io/jobset-controller";

bool IsLeftAlone(const JobSet& job_set) {
  const JobSetSpec& spec = job_set.spec();
  return job_set.metadata().has_deletion_timestamp() ||
         (spec.has_managed_by() && spec.managed_by() != kController);
}

void Delete(const Jobs& jobs, Jobs& deleted) {
  for (const Job* const job : jobs) {
    if (!job->metadata().has_deletion_timestamp()) deleted.push_back(job);
  }
}

// The pass from the refreshed status on.
absl::Status Run(const PassInput& input, const ChildJobs& jobs, Pass& pass,
                 StatusChange& change) {
  const JobSetSpec& spec = input.job_set.spec();
  if (IsFinished(pass.status)) {
    Delete(jobs.active, pass.deleted);
    return absl::OkStatus();
  }
  Delete(jobs.previous, pass.deleted);
  if (!spec.suspend() && AreAllJobsReady(spec, pass.status)) {
    EndRestarting("JobsReady", "all jobs are ready", change);
  }
  if (!jobs.failed.empty()) {
    absl::StatusOr<Verdict> verdict =
        ApplyFailurePolicy(spec, jobs.failed, input.gates, change);
    if (!verdict.ok()) return verdict.status();
    pass.verdict = *std::move(verdict);
    return absl::OkStatus();
  }
  if (MeetsSuccessPolicy(spec, jobs.successful)) {
    SetCompleted(change);
    return absl::OkStatus();
  }
  Startup startup = StartJobs(input.job_set, jobs, change);
  pass.created = std::move(startup.created);
  // Jobs of later groups are still suspended.
  if (spec.suspend() || !startup.waits) SetSuspended(spec.suspend(), change);
  if (!input.gates.in_place_restart || !IsInPlace(spec)) {
    return absl::OkStatus();
  }
  return ReconcileInPlace(spec, input.pods, change);
}

}  // namespace

absl::StatusOr<Pass> Reconcile(const PassInput& input) {
  Pass pass;
  pass.status = input.job_set.status();
  if (IsLeftAlone(input.job_set)) return pass;
  const absl::StatusOr<ChildJobs> jobs =
      SortChildJobs(pass.status, input.jobs, input.gates);
  if (!jobs.ok()) return jobs.status();
  RefreshReplicatedJobsStatus(input.job_set.spec(), *jobs, pass.status);
  StatusChange change{
      pass.status, input.now, input.gates.restarting_condition, false, {}};
  absl::Status done = Run(input, *jobs, pass, change);
  if (!done.ok()) return done;
  pass.updated = change.updated;
  pass.events = std::move(change.events);
  return pass;
}

}  // namespace mulligan::jobset
