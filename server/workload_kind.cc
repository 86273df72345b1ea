#include "server/workload_kind.h"

namespace mulligan {
namespace {

constexpr int kOther = kWorkloadKindCount - 1;

int IndexOf(std::string_view kind) {
  for (int i = 0; i < kOther; ++i) {
    if (kWorkloadKinds[i] == kind) return i;
  }
  return kOther;
}

std::string_view OwnerKind(const v1::FailureReport& report) {
  for (const auto& owner : report.pods(0).metadata().owner_references()) {
    if (owner.controller()) return owner.kind();
  }
  return "Pod";
}

std::string_view SeniorKind(const v1::FailureReport& report) {
  if (report.has_ray_job()) return "RayJob";
  if (report.has_train_job()) return "TrainJob";
  if (report.has_spark_application()) return "SparkApplication";
  if (report.has_kubeflow_job()) return report.kubeflow_job().kind();
  if (report.has_job_set()) return "JobSet";
  if (report.has_ray_cluster()) return "RayCluster";
  if (report.jobs_size() > 0) return "Job";
  if (report.has_kueue_workload()) return "Workload";
  if (report.pods_size() > 0) return OwnerKind(report);
  return "";
}

}  // namespace

int WorkloadKindOf(const v1::FailureReport& report) {
  const std::string& stated = report.workload().kind();
  return IndexOf(stated.empty() ? SeniorKind(report) : stated);
}

}  // namespace mulligan
