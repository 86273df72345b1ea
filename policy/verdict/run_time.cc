#include "policy/verdict/run_time.h"

#include "policy/base/times.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

const core::ContainerStateTerminated* CulpritEnd(
    const v1::FailureReport& report, const v1::Culprit& culprit) {
  for (const core::Pod& pod : report.pods()) {
    if (pod.metadata().name() != culprit.pod()) continue;
    for (const core::ContainerStatus& status :
         pod.status().container_statuses()) {
      if (status.name() != culprit.container()) continue;
      if (status.state().has_terminated()) return &status.state().terminated();
      if (status.last_state().has_terminated()) {
        return &status.last_state().terminated();
      }
    }
  }
  return nullptr;
}

}  // namespace

std::optional<absl::Duration> RunTimeOf(const v1::FailureReport& report,
                                        const v1::Diagnosis& diagnosis) {
  const auto* end = CulpritEnd(report, diagnosis.culprit());
  if (end == nullptr || !IsSet(end->started_at()) ||
      !IsSet(end->finished_at())) {
    return std::nullopt;
  }
  const absl::Duration ran =
      ToTime(end->finished_at()) - ToTime(end->started_at());
  if (ran < absl::ZeroDuration()) return std::nullopt;
  return ran;
}

}  // namespace mulligan
