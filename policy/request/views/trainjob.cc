// TrainJobs (Kubeflow Trainer 2).
#include "policy/request/views/views.h"

namespace mulligan {

bool ViewTrainJob(const v1::FailureReport& report, WorkloadView& view) {
  if (!report.has_train_job()) return false;
  view.kind_name = "TrainJob";
  ViewObject(report.train_job(), view);
  view.phase = PhaseBy(report.train_job().status().conditions(), "Complete",
                       WorkloadPhase::kOpen);
  // It gives the JobSet its own name.
  view.part_kind = "JobSet";
  view.part = view.meta->name();
  return true;
}

NativeCount CountTrainJob(const v1::FailureReport& report,
                          std::int32_t earlier) {
  return report.has_job_set() ? CountJobSet(report, earlier) : NativeCount();
}

}  // namespace mulligan
