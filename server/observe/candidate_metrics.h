// Metrics of candidate policies. Names are in metric_table.h.
#ifndef MULLIGAN_SERVER_OBSERVE_CANDIDATE_METRICS_H_
#define MULLIGAN_SERVER_OBSERVE_CANDIDATE_METRICS_H_

#include <array>
#include <cstddef>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/rules/policy_set.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/registry.h"
#include "server/observe/metric_table.h"
#include "server/observe/policy_series.h"
#include "server/observe/workload_kind.h"

namespace mulligan {

prometheus::Family<prometheus::Counter>& CounterFamily(
    prometheus::Registry& registry, MetricId id);
prometheus::Family<prometheus::Gauge>& GaugeFamily(
    prometheus::Registry& registry, MetricId id);

// Part of Metrics, with the same guarantees.
class CandidateMetrics {
 public:
  // The registry must outlive it.
  explicit CandidateMetrics(prometheus::Registry& registry);
  CandidateMetrics(const CandidateMetrics&) = delete;
  CandidateMetrics& operator=(const CandidateMetrics&) = delete;

  // Counts an answer with the candidate's verdict, except previews.
  void OnDecision(const v1::DecideRequest& request,
                  const v1::DecideResponse& response);

  // REQUIRES: called by one thread at a time.
  void OnLoaded(const PolicySet& policies);
  // Whether the newest policies cannot be loaded.
  void SetFailing(bool failing) { failing_->Set(failing ? 1 : 0); }

 private:
  static constexpr std::size_t kDifferenceCount =
      v1::CandidateVerdict::Difference_MAX + 1;

  prometheus::Counter* decisions_;
  // By index of KindLabels() and by difference.
  std::vector<std::array<prometheus::Counter*, kDifferenceCount>> differences_{
      KindLabels().size()};
  // By our action; null if both actions are the same.
  std::array<CountersByAction, kActionCount> actions_ = {};
  prometheus::Family<prometheus::Gauge>* info_;
  prometheus::Gauge* revision_;
  prometheus::Gauge* failing_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_CANDIDATE_METRICS_H_
