#include "client/conformance/kueue_facts.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "client/conformance/protos.h"
#include "policy/native/kubernetes_time.h"
#include "policy/native/kueue_conditions.h"
#include "policy/native/kueue_requeue.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::Condition;
using kueue::WorkloadStatus;

constexpr std::array<std::string_view, 10> kTypes = {
    kueue::kQuotaReserved,
    kueue::kAdmitted,
    kueue::kPodsReady,
    kueue::kEvicted,
    kueue::kPreempted,
    kueue::kRequeued,
    kueue::kDeactivationTarget,
    kueue::kWaitingForReplacementPods,
    kueue::kBlockedOnPreemptionGates,
    kueue::kFinished};

Json ConditionJson(const Condition& condition) {
  Json json = {{"type", condition.type()},
               {"status", condition.status()},
               {"reason", condition.reason()},
               {"message", condition.message()}};
  if (!kubernetes_job::IsZero(condition.last_transition_time())) {
    json["lastTransitionTime"] =
        TimestampJson(condition.last_transition_time());
  }
  return json;
}

Json Sample(std::string_view name, const kueue::Eviction& eviction,
            const char* kind, int value) {
  return {{"name", std::string(name)},
          {"reason", eviction.reason},
          {"underlying_cause", eviction.cause},
          {kind, value}};
}

}  // namespace

Json KueueTimeJson(std::optional<absl::Time> time) {
  if (!time.has_value()) return Json();
  google::protobuf::Timestamp timestamp;
  SetTime(*time, timestamp);
  return TimestampJson(timestamp);
}

Json KueueSecondsJson(absl::Duration duration) {
  google::protobuf::Duration message;
  SetDuration(duration, message);
  return SecondsJson(message);
}

Json KueueEventJson(const std::optional<kueue::Event>& event) {
  if (!event.has_value()) return Json();
  return {{"type", event->type},
          {"reason", event->reason},
          {"message", event->message}};
}

Json KueueConditionsJson(
    const google::protobuf::RepeatedPtrField<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& condition : conditions) {
    list.push_back(ConditionJson(condition));
  }
  return list;
}

Json KueueConditionJson(const WorkloadStatus& status, std::string_view type) {
  const Condition* const found =
      kueue::FindCondition(status.conditions(), type);
  return found == nullptr ? Json() : ConditionJson(*found);
}

Json KueueRequeueStateJson(const WorkloadStatus& status) {
  if (!status.has_requeue_state()) return Json();
  const auto& state = status.requeue_state();
  return {{"count", state.has_count() ? Json(state.count()) : Json()},
          {"requeueAt", KueueTimeJson(kueue::RequeueAt(status))}};
}

Json KueueChecksJson(const WorkloadStatus& status) {
  Json list = Json::array();
  for (const auto& check : status.admission_checks()) {
    Json json = MessageJson(check);
    for (const char* const name :
         {"message", "retryCount", "requeueAfterSeconds"}) {
      if (!json.contains(name)) json[name] = Json();
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json KueueStatsJson(const WorkloadStatus& status) {
  if (!status.has_scheduling_stats()) return Json();
  Json evictions = Json::array();
  for (const auto& entry : status.scheduling_stats().evictions()) {
    evictions.push_back({{"reason", entry.reason()},
                         {"underlyingCause", entry.underlying_cause()},
                         {"count", entry.count()}});
  }
  return {{"evictions", std::move(evictions)}};
}

Json KueueUnhealthyJson(const WorkloadStatus& status) {
  Json names = Json::array();
  for (const auto& node : status.unhealthy_nodes()) {
    names.push_back(node.name());
  }
  return names;
}

Json KueueStatusFacts(const kueue::Workload& workload) {
  const WorkloadStatus& status = workload.status();
  Json absent = Json::array();
  for (const std::string_view type : kTypes) {
    if (kueue::FindCondition(status.conditions(), type) == nullptr) {
      absent.push_back(std::string(type));
    }
  }
  const Condition* const evicted =
      kueue::FindCondition(status.conditions(), kueue::kEvicted);
  const bool is_evicted = kueue::IsEvicted(status);
  return {{"active", kueue::IsActive(workload)},
          {"conditions", KueueConditionsJson(status.conditions())},
          {"conditionsAbsent", std::move(absent)},
          {"evictedReason", is_evicted ? Json(evicted->reason()) : Json()},
          {"requeueState", KueueRequeueStateJson(status)},
          {"requeueAt", KueueTimeJson(kueue::RequeueAt(status))},
          {"requeueCount", status.requeue_state().count()},
          {"admissionChecks", KueueChecksJson(status)},
          {"schedulingStats", KueueStatsJson(status)},
          {"unhealthyNodes", KueueUnhealthyJson(status)},
          {"admitted", kueue::IsAdmitted(status)},
          {"quotaReserved", kueue::HasQuotaReservation(status)},
          {"accumulatedPastExecutionTimeSeconds",
           status.has_accumulated_past_execution_time_seconds()
               ? Json(status.accumulated_past_execution_time_seconds())
               : Json()}};
}

Json KueueMetricsJson(const std::vector<kueue::EvictionReport>& reports) {
  std::map<std::pair<std::string, std::string>, int> counts;
  Json samples = Json::array();
  for (const kueue::EvictionReport& report : reports) {
    const kueue::Eviction& eviction = report.eviction;
    ++counts[{eviction.reason, eviction.cause}];
    if (report.first) {
      samples.push_back(
          Sample("kueue_evicted_workloads_once_total", eviction, "value", 1));
    }
    if (report.ready_for.has_value()) {
      samples.push_back(Sample("kueue_pods_ready_to_evicted_time_seconds",
                               eviction, "count", 1));
    }
  }
  for (const auto& [key, count] : counts) {
    samples.push_back(Sample("kueue_evicted_workloads_total",
                             {key.first, key.second, ""}, "value", count));
  }
  return samples;
}

}  // namespace mulligan::conformance
