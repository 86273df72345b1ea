#include "policy/request/natural_scope.h"

#include <algorithm>
#include <string_view>

#include "policy/request/kinds.h"

namespace mulligan {
namespace {

template <typename Conditions>
bool HasFailed(const Conditions& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& c) {
    return c.type() == "Failed" && c.status() == "True";
  });
}

// The Job that is the workload: alone, or the one of its name.
const kubernetes::batch::v1::Job* OwnJob(
    const v1::FailureReport& report, const v1::WorkloadReference& workload) {
  if (report.jobs_size() == 1) return &report.jobs(0);
  for (const auto& job : report.jobs()) {
    if (job.metadata().name() == workload.name()) return &job;
  }
  return nullptr;
}

v1::Decision::Scope JobScope(const v1::FailureReport& report,
                             const v1::WorkloadReference& workload,
                             v1::Decision::Action action) {
  const auto* job = OwnJob(report, workload);
  const bool indexed =
      job != nullptr && job->spec().completion_mode() == "Indexed";
  const bool failed = job != nullptr && HasFailed(job->status().conditions());
  if (action == v1::Decision::RETRY || action == v1::Decision::WAIT) {
    if (failed) return v1::Decision::JOB;
    return indexed ? v1::Decision::INDEX : v1::Decision::POD;
  }
  return indexed && !failed && job->spec().has_backoff_limit_per_index()
             ? v1::Decision::INDEX
             : v1::Decision::JOB;
}

}  // namespace

bool InSinkState(const v1::FailureReport& report,
                 const v1::WorkloadReference& workload) {
  const std::string_view kind = workload.kind();
  if (kind == "Job") {
    const auto* job = OwnJob(report, workload);
    return job != nullptr && HasFailed(job->status().conditions());
  }
  if (kind == "Pod") {
    return report.pods_size() == 1 &&
           report.pods(0).status().phase() == "Failed";
  }
  if (kind == "RayJob") {
    return report.ray_job().status().job_deployment_status() == "Failed";
  }
  if (kind == "JobSet") {
    const auto& status = report.job_set().status();
    return status.terminal_state() == "Failed" ||
           HasFailed(status.conditions());
  }
  if (kind == "TrainJob") {
    return HasFailed(report.train_job().status().conditions());
  }
  if (kind == "SparkApplication") {
    return report.spark_application().status().application_state().state() ==
           "FAILED";
  }
  return HasFailed(report.kubeflow_job().status().conditions());
}

v1::Decision::Scope NaturalScope(const v1::FailureReport& report,
                                 const v1::WorkloadReference& workload,
                                 v1::Decision::Action action) {
  if (workload.kind() == "Job") return JobScope(report, workload, action);
  const Kind* const kind = FindKind(workload.kind());
  if (kind == nullptr) return v1::Decision::WORKLOAD;
  const bool continues =
      action == v1::Decision::RETRY || action == v1::Decision::WAIT;
  return continues ? kind->retried : kind->given_up;
}

}  // namespace mulligan
