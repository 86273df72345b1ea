#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/conformance/compare.h"
#include "client/conformance/kuberay_facts.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/kuberay_plot.h"
#include "client/conformance/protos.h"
#include "policy/native/kuberay_cluster_pods.h"
#include "policy/native/kuberay_cluster_status.h"

namespace mulligan::conformance {
namespace {

using kuberay::Pod;
using kuberay::PodPlan;

constexpr std::int64_t kMaxPods = 10000;
constexpr const char* kRayContainer = "ray";

absl::StatusOr<Pod> PodFrom(const Json& json) {
  absl::Status known = CheckOnlyMembers(
      json, "pod",
      {"role", "name", "restartPolicy", "phase", "rayContainerState", "cause"});
  if (!known.ok()) return known;
  Pod pod;
  pod.mutable_metadata()->set_name(json.value("name", "pod"));
  pod.mutable_spec()->add_containers()->set_name(kRayContainer);
  pod.mutable_spec()->set_restart_policy(json.value("restartPolicy", "Always"));
  pod.mutable_status()->set_phase(json.value("phase", "Running"));
  const Json state = MemberOf(json, "rayContainerState");
  if (state.is_null()) return pod;
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name(kRayContainer);
  if (state == "terminated") {
    container.mutable_state()->mutable_terminated();
  } else if (state == "running") {
    container.mutable_state()->mutable_running();
  } else if (state == "waiting") {
    container.mutable_state()->mutable_waiting();
  } else {
    return absl::UnimplementedError(absl::StrFormat(
        "pod.rayContainerState: %s is not understood", state.dump()));
  }
  return pod;
}

// 5, or {"Running": 4, "Failed": 1}; names are pod1, pod2, ...
absl::StatusOr<std::vector<Pod>> WorkersFrom(const Json& json) {
  std::vector<Pod> pods;
  const auto add = [&](const std::string& phase, const Json& count) {
    if (!count.is_number_unsigned() ||
        count.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxPods)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "workerPods: a number is expected, got %s", count.dump()));
    }
    for (std::uint64_t i = 0; i < count.get<std::uint64_t>(); ++i) {
      Pod& pod = pods.emplace_back();
      pod.mutable_metadata()->set_name(absl::StrCat("pod", pods.size()));
      pod.mutable_status()->set_phase(phase);
    }
    return absl::OkStatus();
  };
  if (!json.is_object()) {
    absl::Status added = add("Running", json);
    if (!added.ok()) return added;
    return pods;
  }
  for (const auto& [phase, count] : json.items()) {
    absl::Status added = add(phase, count);
    if (!added.ok()) return added;
  }
  return pods;
}

// `count` under the name of the kind of pods.
Json PassFacts(const PodPlan& plan, std::size_t before, const char* count) {
  const auto after = static_cast<std::int64_t>(before) -
                     static_cast<std::int64_t>(plan.deleted.size()) +
                     plan.created;
  return {{"error", !plan.error.empty()}, {count, after}};
}

std::vector<Pod> Remaining(const std::vector<Pod>& pods, const PodPlan& plan) {
  std::vector<Pod> left;
  for (const Pod& pod : pods) {
    const auto& deleted = plan.deleted;
    if (std::find(deleted.begin(), deleted.end(), pod.metadata().name()) ==
        deleted.end()) {
      left.push_back(pod);
    }
  }
  return left;
}

Json WithPasses(Json pass1, Json pass2) {
  Json facts = pass1;
  facts["pass1"] = std::move(pass1);
  facts["pass2"] = std::move(pass2);
  return facts;
}

absl::StatusOr<Json> WorkerFacts(const CaseInput& input) {
  const auto settings = KubeRaySettings(input);
  if (!settings.ok()) return settings.status();
  const Json& json = input.input;
  kuberay::WorkerGroup group;
  group.expected = json.value("workerReplicas", std::int64_t{0}) *
                   std::max<std::int64_t>(1, json.value("numOfHosts", 1));
  group.autoscaling = json.value("autoscaling", false);
  group.workers_to_delete =
      json.value("workersToDelete", std::vector<std::string>());
  const auto pods = WorkersFrom(MemberOf(json, "workerPods"));
  if (!pods.ok()) return pods.status();
  const PodPlan first = kuberay::PlanWorkers(group, *pods, *settings);
  const std::vector<Pod> left = Remaining(*pods, first);
  group.workers_to_delete.clear();
  const PodPlan second = kuberay::PlanWorkers(group, left, *settings);
  return WithPasses(PassFacts(first, pods->size(), "workerPods"),
                    PassFacts(second, left.size(), "workerPods"));
}

bool IsReady(const Json& pods, const char* node) {
  if (pods.is_string()) return pods == "all ready" || pods == "ready";
  return MemberOf(pods, node) == "ready";
}

}  // namespace

absl::StatusOr<Json> ClusterPodFacts(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"kind", "level", "pod", "workerReplicas", "workerPods", "autoscaling",
       "workersToDelete", "numOfHosts", "operatorEnv", "featureGates"});
  if (!known.ok()) return known;
  const Json given = MemberOf(input.input, "pod");
  if (given.is_null()) return WorkerFacts(input);
  const auto pod = PodFrom(given);
  if (!pod.ok()) return pod.status();
  const PodPlan first = kuberay::PlanHead({*pod}, false);
  const std::vector<Pod> left = Remaining({*pod}, first);
  const PodPlan second = kuberay::PlanHead(left, false);
  Json facts = WithPasses(PassFacts(first, 1, "headPods"),
                          PassFacts(second, left.size(), "headPods"));
  facts["delete"] = kuberay::ShouldDeletePod(*pod);
  return facts;
}

absl::StatusOr<Json> ClusterStatusFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "pods", "conditionBefore",
                        "stateBefore", "reconcileError", "featureGates"});
  if (!known.ok()) return known;
  const Json pods = MemberOf(input.input, "pods");
  const bool ready = IsReady(pods, "head") && IsReady(pods, "worker");
  const auto error =
      TextOrEmpty(MemberOf(input.input, "reconcileError"), "error");
  if (!error.ok()) return error.status();
  const auto before =
      TextOrEmpty(MemberOf(input.input, "stateBefore"), "state");
  if (!before.ok()) return before.status();
  const Json condition_before = MemberOf(input.input, "conditionBefore");
  const bool was_provisioned = condition_before == "True" ||
                               MemberOf(condition_before, "status") == "True";
  const kuberay::Condition up = kuberay::ProvisionedCondition(nullptr, true);
  const std::string state =
      kuberay::ClusterState(*before, !error->empty(), ready);
  Json facts;
  facts["condition"] = MessageJson(
      kuberay::ProvisionedCondition(was_provisioned ? &up : nullptr, ready));
  facts["state"] = state;
  // An error changes neither; a state without an error clears it.
  facts["reason"] = "";
  facts["stateTransitionTimes"] =
      state == *before
          ? Described({"unchanged", state.empty() ? Json() : Json("set")})
          : Described({"set", "changed"}, {{state, Described({"set"})}});
  return facts;
}

absl::StatusOr<Json> PodCallFacts(const CaseInput& input) {
  const auto plot = KubeRayPlotFrom(input);
  if (!plot.ok()) return plot.status();
  const kuberay::PodCallError error{plot->failing_pod_call.call,
                                    plot->failing_pod_call.node};
  const auto reason = kuberay::ReplicaFailureReason(error);
  if (!reason.has_value()) {
    return absl::UnimplementedError("event: no call for a pod is said to fail");
  }
  const std::string message =
      kuberay::PodCallMessage(error, "default/pod", "refused");
  Json facts;
  facts["error"] = facts["returnsError"] = true;
  facts["event"] = facts["eventNote"] = facts["eventEmitted"] = message;
  facts["condition"] = {{"type", std::string(kuberay::kReplicaFailure)},
                        {"status", "True"},
                        {"reason", *reason}};
  facts["conditionReason"] = *reason;
  return facts;
}

}  // namespace mulligan::conformance
