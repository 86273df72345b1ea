// Jobs of training-operator (v1): PyTorchJob, TFJob, MPIJob and others.
#include "policy/request/kinds.h"
#include "policy/request/views/views.h"

namespace mulligan {

bool ViewTrainingJob(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_kubeflow_job()) return false;
  const auto& job = report.kubeflow_job();
  const auto& status = job.status();
  view.kind_name =
      job.kind().empty() ? kTrainingJob : std::string_view(job.kind());
  ViewObject(job, view);
  const bool restarts = IsTrue(status.conditions(), "Restarting");
  const WorkloadPhase otherwise = restarts ? WorkloadPhase::kRestarts
                                  : IsTrue(status.conditions(), "Running")
                                      ? WorkloadPhase::kRuns
                                      : WorkloadPhase::kWaits;
  view.phase = PhaseBy(status.conditions(), "Succeeded", otherwise);
  const auto& policy = job.spec().run_policy();
  if (policy.suspend()) view.suspend_leaf = ".spec.runPolicy.suspend";
  if (policy.has_backoff_limit()) view.retry_limit = policy.backoff_limit();
  view.counts = {{"backoffLimit", policy.backoff_limit()}};
  view.times.push_back(&status.start_time());
  view.times.push_back(&status.completion_time());
  return true;
}

// The status has no count, only that the limit was reached.
void DescribeTrainingJob(const v1::FailureReport& report,
                         ObjectDetails& words) {
  words.tries.limit_name = "backoffLimit";
  words.tries.limit = report.kubeflow_job().spec().run_policy().backoff_limit();
  words.tries.used = words.tries.limit;
  words.tries.exhausted = "specified backoff limit";
}

}  // namespace mulligan
