#include "policy/verdict/reach.h"

#include "policy/base/times.h"
#include "policy/request/workload.h"

namespace mulligan {

v1::Decision::Scope ScopeOf(const Case& failure, v1::Decision::Action action) {
  // Reports of earlier attempts lack the Job, whose spec says what ends alone.
  const v1::FailureReport& report =
      IsRefusal(action) ? failure.at.report() : failure.report();
  const v1::Decision::Scope scope =
      DefaultScope(report, failure.workload(), action);
  const bool of_one = failure.workload().kind() == "Job" &&
                      scope < v1::Decision::JOB &&
                      action == v1::Decision::RETRY;
  return of_one && failure.what().cascades > 0 ? v1::Decision::JOB : scope;
}

bool MissesDeadline(const Case& failure, v1::Decision::Scope scope,
                    absl::Duration delay) {
  if (failure.workload().kind() != "Job" || failure.report().jobs_size() != 1) {
    return false;
  }
  const auto& job = failure.report().jobs(0);
  if (!job.spec().has_active_deadline_seconds() ||
      job.status().start_time().seconds() == 0) {
    return false;
  }
  if (scope == v1::Decision::SCOPE_UNSPECIFIED) {
    scope = ScopeOf(failure, v1::Decision::RETRY);
  }
  if (scope > v1::Decision::INDEX) return false;
  return failure.now() + delay >=
         ToTime(job.status().start_time()) +
             absl::Seconds(job.spec().active_deadline_seconds());
}

}  // namespace mulligan
