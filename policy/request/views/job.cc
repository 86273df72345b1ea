// Jobs (Job controller, Kubernetes 1.34).
#include <algorithm>

#include "policy/request/kind_names.h"
#include "policy/request/owners.h"
#include "policy/request/pod_marks.h"
#include "policy/request/views/views.h"

namespace mulligan {
namespace {

bool IsUncounted(const kubernetes::batch::v1::Job& job,
                 const std::string& uid) {
  const auto& failed = job.status().uncounted_terminated_pods().failed();
  return std::ranges::find(failed, uid) != failed.end();
}

// Returns whether the Job has all the successes that it needs, even before its
// controller writes the condition. Without completions (a work queue), one
// success is enough once no pod runs.
bool HasAllSuccesses(const kubernetes::batch::v1::Job& job) {
  const auto& status = job.status();
  if (status.active() > 0 || status.terminating() > 0) return false;
  if (IsTrue(status.conditions(), "SuccessCriteriaMet")) return true;
  const std::int64_t succeeded =
      std::int64_t{status.succeeded()} +
      status.uncounted_terminated_pods().succeeded_size();
  const bool queue =
      !job.spec().has_completions() && job.spec().has_parallelism();
  return succeeded >= (queue ? 1 : std::max(job.spec().completions(), 1));
}

// Returns the fewest attempts of `parallelism` pods that fail `pods` pods.
std::int64_t AttemptsOf(std::int64_t pods, std::int32_t parallelism) {
  const std::int64_t at_a_time = std::max(parallelism, 1);
  return (pods + at_a_time - 1) / at_a_time;
}

}  // namespace

WorkloadView ViewOf(const kubernetes::batch::v1::Job& job) {
  WorkloadView view;
  view.kind = FindKind("Job");
  view.kind_name = "Job";
  ViewObject(job, view);
  const auto& status = job.status();
  view.phase = PhaseBy(status.conditions(), "Complete",
                       HasAllSuccesses(job) ? WorkloadPhase::kSucceeded
                       : status.ready() > 0 ? WorkloadPhase::kRuns
                                            : WorkloadPhase::kOpen);
  view.deadline_seconds = job.spec().active_deadline_seconds();
  if (job.spec().has_backoff_limit() &&
      !job.spec().has_backoff_limit_per_index()) {
    view.retry_limit = job.spec().backoff_limit();
  }
  view.attempt_began = &status.start_time();
  view.times.push_back(view.attempt_began);
  view.times.push_back(&status.completion_time());
  return view;
}

NativeCount CountJob(const v1::FailureReport& report, std::int32_t earlier) {
  const auto& job = report.jobs(0);
  const std::int32_t parallelism = job.spec().parallelism();
  std::int64_t seen = 0;
  std::int64_t uncounted = 0;
  for (const auto& pod : report.pods()) {
    // The Job controller counts pods that are being stopped
    // (podReplacementPolicy).
    if (pod.status().phase() != "Failed" && !IsBeingStopped(pod)) continue;
    ++(IsUncounted(job, pod.metadata().uid()) ? uncounted : seen);
  }
  const std::int64_t failed = job.status().failed();
  // The failed pod is gone, or the Job has failed although no pod shows it.
  const bool unseen =
      report.pods().empty() ||
      (seen == 0 && IsTrue(job.status().conditions(), "Failed"));
  std::int64_t before = failed - (unseen ? 1 : seen);
  if (parallelism > 1) {
    before = AttemptsOf(failed + uncounted, parallelism) - 1 - earlier;
  }
  return MakeNativeCount(before, AttemptsOf(failed, parallelism),
                         "Job.status.failed", job.status().failed());
}

}  // namespace mulligan
