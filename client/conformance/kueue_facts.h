// Kueue's objects as the facts a case file asserts.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FACTS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FACTS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "policy/native/kueue_eviction.h"
#include "policy/native/kueue_settings.h"
#include "policy/native/kueue_types.h"

namespace mulligan::conformance {

Json KueueTimeJson(std::optional<absl::Time> time);
// Seconds; a whole number when there is no fraction.
Json KueueSecondsJson(absl::Duration duration);

Json KueueEventJson(const std::optional<kueue::Event>& event);
Json KueueConditionsJson(
    const google::protobuf::RepeatedPtrField<kueue::Condition>& conditions);
// One condition, or null.
Json KueueConditionJson(const kueue::WorkloadStatus& status,
                        std::string_view type);

// {count, requeueAt}, each null when absent; null without a state.
Json KueueRequeueStateJson(const kueue::WorkloadStatus& status);
Json KueueChecksJson(const kueue::WorkloadStatus& status);
Json KueueStatsJson(const kueue::WorkloadStatus& status);
Json KueueUnhealthyJson(const kueue::WorkloadStatus& status);

// Everything a pass may have changed: active, conditions, requeueState,
// admissionChecks, schedulingStats, unhealthyNodes, evictedReason, ...
Json KueueStatusFacts(const kueue::Workload& workload);

// Samples of the metrics one life of a workload leaves.
Json KueueMetricsJson(const std::vector<kueue::EvictionReport>& reports);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FACTS_H_
