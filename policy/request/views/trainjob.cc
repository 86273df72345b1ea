// TrainJobs (Kubeflow Trainer 2).
#include <cstdint>

#include "policy/request/container_ends.h"
#include "policy/request/reported_progress.h"
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

std::optional<double> ReportedProgress(const v1::FailureReport& report) {
  using kubernetes::core::v1::ContainerStateTerminated;
  const auto& status = report.train_job().status().trainer_status();
  if (!status.has_progress_percentage()) return std::nullopt;
  const ContainerStateTerminated* last =
      &ContainerStateTerminated::default_instance();
  for (const auto& pod : report.pods()) {
    ForEachEnd(pod.status(), [&last](const ContainerStateTerminated& ended) {
      const bool later =
          ended.finished_at().seconds() > last->finished_at().seconds();
      if (later) last = &ended;
    });
  }
  // Seconds that the clocks of a pod and its node may differ.
  constexpr std::int64_t kSkew = 60;
  const std::int64_t began = last->started_at().seconds();
  const std::int64_t at = status.last_updated_time().seconds();
  const bool is_of_it =
      began > 0 && began <= at && at <= last->finished_at().seconds() + kSkew;
  if (!is_of_it) return std::nullopt;
  return status.progress_percentage();
}

}  // namespace mulligan
