#include "policy/request/custom_resources.h"

#include <string>

#include "policy/request/kinds.h"

namespace mulligan {

absl::InlinedVector<CustomResource, 2> CustomResources(
    const v1::FailureReport& report) {
  absl::InlinedVector<CustomResource, 2> found;
  const auto add = [&found](bool has, std::string_view kind,
                            const auto& object) {
    if (has) found.push_back({kind, &object.metadata()});
  };
  add(report.has_train_job(), "TrainJob", report.train_job());
  add(report.has_ray_job(), "RayJob", report.ray_job());
  add(report.has_spark_application(), "SparkApplication",
      report.spark_application());
  const std::string& kind = report.kubeflow_job().kind();
  add(report.has_kubeflow_job(),
      kind.empty() ? kTrainingJob : std::string_view(kind),
      report.kubeflow_job());
  add(report.has_job_set(), "JobSet", report.job_set());
  add(report.has_ray_cluster(), "RayCluster", report.ray_cluster());
  return found;
}

bool HasOwner(const v1::FailureReport& report) {
  return !report.jobs().empty() || report.has_kueue_workload() ||
         !CustomResources(report).empty();
}

}  // namespace mulligan
