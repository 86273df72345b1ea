#include "client/conformance/kueue_pods_cases.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_pod_group.h"
#include "policy/native/kueue_release.h"

namespace mulligan::conformance {
namespace {

using kueue::Pod;
using kueue::PodGroup;
using kueue::WorkloadStatus;

// A pod of the files without phase has not been started.
bool IsUntouched(const Pod& pod) {
  return pod.status().phase().empty() &&
         !pod.metadata().has_deletion_timestamp();
}

// The files do not say which pods are gated. An admitted workload has gates on
// the pods it has yet to start; one that was evicted has them on a group no pod
// of which was ever touched, nor waited for. Single pods are shown running.
bool AreGated(const PodGroup& group, const WorkloadStatus& status) {
  if (!group.total_count.has_value()) return false;
  if (kueue::IsAdmitted(status) && !kueue::IsEvicted(status)) return true;
  return kueue::FindCondition(status.conditions(),
                              kueue::kWaitingForReplacementPods) == nullptr &&
         std::all_of(group.pods.begin(), group.pods.end(),
                     [](const Pod* pod) { return IsUntouched(*pod); });
}

void AddGates(const PodGroup& group, const WorkloadStatus& status,
              std::vector<Pod>& pods) {
  if (!AreGated(group, status)) return;
  for (Pod& pod : pods) {
    if (!IsUntouched(pod)) continue;
    pod.mutable_spec()->add_scheduling_gates()->set_name(
        std::string(kueue::kAdmissionGate));
  }
}

Json Names(const std::vector<const Pod*>& pods) {
  Json names = Json::array();
  for (const Pod* const pod : pods) names.push_back(pod->metadata().name());
  return names;
}

void AddEnd(const PodGroup& group, Json& facts) {
  const auto end = kueue::EndOf(group);
  facts["finished"] = end.has_value();
  facts["success"] = end.has_value() && end->success;
  facts["reason"] = Json();
  facts["message"] = Json();
  if (!end.has_value()) return;
  facts["reason"] = end->success ? "Succeeded" : "Failed";
  facts["message"] = end->message;
}

void AddStopped(const PodGroup& group, const WorkloadStatus& status,
                absl::Time now, Json& facts) {
  Json conditions = Json::object();
  Json events = Json::object();
  for (const Pod* const pod : group.pods) {
    conditions[pod->metadata().name()] = Json::array();
  }
  const auto stopped = kueue::StopPods(group, status, now);
  for (const auto& pod : stopped) {
    const std::string& name = pod.pod->metadata().name();
    conditions[name].push_back(MessageJson(pod.condition));
    events[name] = KueueEventJson(pod.event);
  }
  facts["podsUnchanged"] = stopped.empty() && facts["ungated"].empty() &&
                           facts["finalizerRemoved"].empty();
  facts["podConditions"] = std::move(conditions);
  facts["events"] = std::move(events);
}

}  // namespace

absl::StatusOr<Json> KueuePodGroupFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "groupTotalCount", "pods", "workload"});
  if (!known.ok()) return known;
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  auto workload = KueueWorkload(KueueMember(input.input, "workload"));
  if (!workload.ok()) return workload.status();
  CompleteAdmission(*workload);
  const Json listed = KueueMember(input.input, "pods");
  auto pods = KueuePods(listed, *now);
  if (!pods.ok()) return pods.status();
  PodGroup group;
  const Json total = KueueMember(input.input, "groupTotalCount");
  if (!total.is_null()) group.total_count = total.get<std::int64_t>();
  for (const Pod& pod : *pods) group.pods.push_back(&pod);
  auto& status = *workload->mutable_status();
  AddGates(group, status, *pods);
  const Json before = KueueStatusFacts(*workload);

  Json facts;
  AddEnd(group, facts);
  facts["ungated"] = Names(kueue::PodsToStart(group, status));
  facts["finalizerRemoved"] = Names(kueue::ReplacedPods(group));
  facts["reclaimablePods"] = kueue::ReclaimablePods(group);
  AddStopped(group, status, *now, facts);
  if (group.total_count.has_value()) {
    // Without the pods, who is missing is what the condition says.
    const bool absent = listed.is_null()
                            ? kueue::IsTrue(status.conditions(),
                                            kueue::kWaitingForReplacementPods)
                            : kueue::AbsentPods(group) > 0;
    kueue::SetWaitingForReplacement(absent, *now, status);
  }
  if (!kueue::HoldsQuota(group, *now)) {
    kueue::ReleaseQuota(!group.total_count.has_value(), *gates, *now, status);
  }
  const Json after = KueueStatusFacts(*workload);
  facts["workloadUnchanged"] = after == before;
  facts["waitingForReplacementPods"] =
      KueueConditionJson(status, kueue::kWaitingForReplacementPods);
  facts.update(after);
  return facts;
}

}  // namespace mulligan::conformance
