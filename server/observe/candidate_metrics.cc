#include "server/observe/candidate_metrics.h"

#include <string>

#include "absl/strings/ascii.h"
#include "policy/request/workload.h"
#include "server/observe/metric_table.h"

namespace mulligan {
namespace {

using v1::CandidateVerdict;
using v1::Decision;

}  // namespace

prometheus::Family<prometheus::Counter>& CounterFamily(
    prometheus::Registry& registry, MetricId id) {
  return prometheus::BuildCounter()
      .Name(InfoOf(id).name)
      .Help(InfoOf(id).help)
      .Register(registry);
}

prometheus::Family<prometheus::Gauge>& GaugeFamily(
    prometheus::Registry& registry, MetricId id) {
  return prometheus::BuildGauge()
      .Name(InfoOf(id).name)
      .Help(InfoOf(id).help)
      .Register(registry);
}

CandidateMetrics::CandidateMetrics(prometheus::Registry& registry)
    : decisions_(
          &CounterFamily(registry, MetricId::kCandidateDecisions).Add({})),
      info_(&GaugeFamily(registry, MetricId::kCandidateInfo)),
      revision_(&info_->Add({{"revision", ""}})),
      failing_(&GaugeFamily(registry, MetricId::kCandidateFailing).Add({})) {
  auto& differences = CounterFamily(registry, MetricId::kCandidateDifferences);
  for (std::size_t kind = 0; kind < differences_.size(); ++kind) {
    for (std::size_t i = 1; i < kDifferenceCount; ++i) {
      const auto difference = static_cast<CandidateVerdict::Difference>(i);
      differences_[kind][i] = &differences.Add(
          {{"kind", KindLabels()[kind]},
           {"difference", absl::AsciiStrToLower(
                              CandidateVerdict::Difference_Name(difference))}});
    }
  }
  auto& actions = CounterFamily(registry, MetricId::kCandidateActions);
  for (int ours = 1; ours < kActionCount; ++ours) {
    for (int theirs = 1; theirs < kActionCount; ++theirs) {
      if (ours == theirs) continue;
      actions_[static_cast<std::size_t>(ours)][static_cast<std::size_t>(
          theirs)] =
          &actions.Add(
              {{"action",
                Decision::Action_Name(static_cast<Decision::Action>(ours))},
               {"candidate_action",
                Decision::Action_Name(static_cast<Decision::Action>(theirs))}});
    }
  }
}

void CandidateMetrics::OnDecision(const v1::DecideRequest& request,
                                  const v1::DecideResponse& response) {
  if (request.purpose() == v1::DecideRequest::PREVIEW) return;
  decisions_->Increment();
  const CandidateVerdict& verdict = response.candidate();
  const std::size_t kind = KindLabelOf(WorkloadKindOf(request.report()));
  for (const int difference : verdict.differences()) {
    differences_[kind][static_cast<std::size_t>(difference)]->Increment();
  }
  prometheus::Counter* const action =
      actions_[static_cast<std::size_t>(response.decision().action())]
              [static_cast<std::size_t>(verdict.action())];
  if (action != nullptr) action->Increment();
}

void CandidateMetrics::OnLoaded(const PolicySet& policies) {
  info_->Remove(revision_);
  revision_ = &info_->Add({{"revision", policies.revision()}});
  revision_->Set(1);
  failing_->Set(0);
}

}  // namespace mulligan
