#include "client/conformance/kueue_nodes_cases.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_failure_recovery.h"
#include "policy/native/kueue_nodes.h"
#include "policy/native/kueue_release.h"

namespace mulligan::conformance {
namespace {

using kueue::Node;
using kueue::Pod;
using kueue::Workload;

// One case's world.
struct World {
  Workload workload;
  std::vector<Pod> pods;
  std::vector<kueue::Toleration> flavor_tolerations;
  kueue::Gates gates;
  absl::Time now;
  std::vector<std::string> assigned;
};

absl::StatusOr<World> WorldFrom(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "node", "node2", "workload", "pods"});
  if (!known.ok()) return known;
  World world;
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  world.gates = *gates;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  world.now = *now;
  const Json json = KueueMember(input.input, "workload");
  auto workload = KueueWorkload(json);
  if (!workload.ok()) return workload.status();
  world.workload = *std::move(workload);
  auto pods = KueuePods(KueueMember(input.input, "pods"), *now);
  if (!pods.ok()) return pods.status();
  world.pods = *std::move(pods);
  for (const Json& entry : KueueMember(json, "flavorTolerations")) {
    auto toleration = MessageFrom<kueue::Toleration>(entry, "toleration");
    if (!toleration.ok()) return toleration.status();
    world.flavor_tolerations.push_back(*std::move(toleration));
  }
  world.assigned = kueue::AssignedNodes(world.workload.status());
  return world;
}

// The condition, or in a word whether there was an eviction.
Json EvictedJson(const kueue::WorkloadStatus& status) {
  if (!kueue::IsEvicted(status)) return Described({nullptr, false});
  return Described({true}, KueueConditionJson(status, kueue::kEvicted));
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string NodeOf(const Pod& pod) {
  const auto& selector = pod.spec().node_selector();
  const auto host = selector.find("kubernetes.io/hostname");
  return host == selector.end() ? pod.spec().node_name() : host->second;
}

// The node a case is about, where it has no name: the one a pod is late on, for
// it is not assigned any more; else the first assigned one.
std::string NameOfNode(const World& world, const Json& node) {
  const Json name = KueueMember(node, "name");
  if (name.is_string()) return name.get<std::string>();
  for (const Pod& pod : world.pods) {
    std::string host = NodeOf(pod);
    if (!host.empty() && !Contains(world.assigned, host)) return host;
  }
  return world.assigned.empty() ? "node" : world.assigned.front();
}

kueue::NodeView ViewOf(const World& world, const std::string& name,
                       const Node* node) {
  kueue::NodeView view;
  view.name = name;
  view.node = node;
  for (const Pod& pod : world.pods) view.pods.push_back(&pod);
  view.flavor_tolerations = world.flavor_tolerations;
  view.gates = world.gates;
  view.now = world.now;
  return view;
}

absl::StatusOr<std::optional<Node>> OptionalNode(const Json& json,
                                                 const std::string& name) {
  if (json.is_null()) return std::nullopt;
  auto node = KueueNode(json, name);
  if (!node.ok()) return node.status();
  return std::optional<Node>(*std::move(node));
}

// One controller pass over one node; adds to the facts of the passes before.
absl::Status Look(const Json& json, const std::string& name, World& world,
                  Json& facts) {
  const auto node = OptionalNode(json, name);
  if (!node.ok()) return node.status();
  const kueue::NodeVerdict verdict = kueue::ReconcileNode(
      ViewOf(world, name, node->has_value() ? &**node : nullptr),
      world.workload);
  world.workload = verdict.workload;
  facts["requeueAfterSeconds"] = KueueSecondsJson(verdict.requeue_after);
  for (const std::string& pod : verdict.pods_failed) {
    facts["podsFailed"].push_back(pod);
  }
  return absl::OkStatus();
}

void AddFailure(const std::string& name, World& world) {
  world.workload =
      kueue::ReconcileNode(ViewOf(world, name, nullptr), world.workload)
          .workload;
}

Json Flow(World world, const Json& input) {
  const auto number = [&](const char* name) {
    const Json value = KueueMember(input, name);
    return value.is_number() ? std::max(0, value.get<int>()) : 0;
  };
  const auto count =
      static_cast<std::size_t>(number("failedNodes") + number("deletedNodes"));
  for (std::size_t i = 0; i < std::min(count, world.assigned.size()); ++i) {
    AddFailure(world.assigned[i], world);
  }
  auto& status = *world.workload.mutable_status();
  if (KueueMember(input, "nodeRecovers") == Json(true))
    status.clear_unhealthy_nodes();
  const Json replacement = KueueMember(input, "replacementAvailable");
  if (replacement == Json(false)) {
    kueue::EvictWithoutReplacement(world.gates, world.now, status);
  } else if (replacement == Json(true)) {
    // The replacement takes the place; nothing is unhealthy any more.
    status.clear_unhealthy_nodes();
  }
  Json facts = KueueStatusFacts(world.workload);
  const bool evicted = kueue::IsEvicted(status);
  facts["evicted"] = EvictedJson(status);
  facts["metrics"] = Json::array();
  if (evicted) {
    facts["metrics"].push_back({{"name", "kueue_evicted_workloads_total"},
                                {"reason", facts["evictedReason"]},
                                {"underlying_cause", ""},
                                {"value", 1}});
  }
  return facts;
}

bool Flag(const Json& object, const char* name) {
  return KueueMember(object, name) == Json(true);
}

absl::StatusOr<Pod> FilteredPod(const Json& input, bool deleting) {
  const auto now = KueueNow(input);
  if (!now.ok()) return now.status();
  const auto pods =
      KueuePods({{{"name", "pod"},
                  {"annotations", KueueMember(input, "annotations")},
                  {"deleting", deleting}}},
                *now);
  if (!pods.ok()) return pods.status();
  return pods->front();
}

absl::StatusOr<bool> IsUpdate(const Json& input) {
  const Json event = KueueMember(input, "event");
  if (event == Json("update")) return true;
  if (event == Json("create")) return false;
  return absl::UnimplementedError("event: create, update or delete expected");
}

// Nothing is done about a deletion, nor about a generic event.
bool IsPassedOver(const Json& input) {
  const Json event = KueueMember(input, "event");
  return event == Json("delete") || event == Json("generic");
}

}  // namespace

absl::StatusOr<Json> KueueNodeFacts(const CaseInput& input) {
  auto world = WorldFrom(input);
  if (!world.ok()) return world.status();
  Json facts = {{"podsFailed", Json::array()}};
  const Json node = KueueMember(input.input, "node");
  absl::Status looked = Look(node, NameOfNode(*world, node), *world, facts);
  if (!looked.ok()) return looked;
  const Json second = KueueMember(input.input, "node2");
  if (input.input.contains("node2") && world->assigned.size() > 1) {
    looked = Look(second, world->assigned[1], *world, facts);
    if (!looked.ok()) return looked;
  }
  const auto& status = world->workload.status();
  facts["unhealthyNodes"] = KueueUnhealthyJson(status);
  facts["evicted"] = EvictedJson(status);
  return facts;
}

absl::StatusOr<Json> KueueNodeStatusFacts(const CaseInput& input) {
  const auto world = WorldFrom(input);
  if (!world.ok()) return world.status();
  kueue::NodeHealth health;
  const Json workload = KueueMember(input.input, "workload");
  // A workload that is gone needs no replacement.
  if (KueueMember(workload, "found") != Json(false)) {
    const Json json = KueueMember(input.input, "node");
    const std::string name = NameOfNode(*world, json);
    const auto node = OptionalNode(json, name);
    if (!node.ok()) return node.status();
    health = kueue::HealthOn(
        ViewOf(*world, name, node->has_value() ? &**node : nullptr),
        world->workload);
  }
  return Json{{"status", health.healthy ? "Healthy" : "Unhealthy"},
              {"podsToTerminate", health.pods_to_terminate}};
}

absl::StatusOr<Json> KueueNodeFlowFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"failedNodes", "deletedNodes", "nodeRecovers",
                        "replacementAvailable", "nodesBefore"});
  if (!known.ok()) return known;
  World world;
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  world.gates = *gates;
  world.now = *KueueNow(Json::object());
  // Any two nodes will do where none are named.
  Json nodes = KueueMember(input.input, "nodesBefore");
  if (nodes.is_null()) nodes = {"a", "b"};
  auto workload = KueueWorkload({{"assignedNodes", nodes}});
  if (!workload.ok()) return workload.status();
  world.workload = *std::move(workload);
  world.assigned = kueue::AssignedNodes(world.workload.status());
  return Flow(std::move(world), input.input);
}

absl::StatusOr<Json> KueuePodFilterFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"event", "annotations", "deleting", "oldDeleting",
                        "newDeleting", "now"});
  if (!known.ok()) return known;
  if (IsPassedOver(input.input)) return Json{{"handled", false}};
  const auto update = IsUpdate(input.input);
  if (!update.ok()) return update.status();
  const auto before =
      FilteredPod(input.input, Flag(input.input, "oldDeleting"));
  if (!before.ok()) return before.status();
  const auto after = FilteredPod(
      input.input, Flag(input.input, *update ? "newDeleting" : "deleting"));
  if (!after.ok()) return after.status();
  return Json{{"handled",
               kueue::PodUpdateCounts(*update ? &*before : nullptr, *after)}};
}

absl::StatusOr<Json> KueueNodeFilterFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input", {"event", "oldTaints", "taints"});
  if (!known.ok()) return known;
  if (IsPassedOver(input.input)) return Json{{"handled", false}};
  const auto update = IsUpdate(input.input);
  if (!update.ok()) return update.status();
  const auto before =
      KueueNode({{"taints", KueueMember(input.input, "oldTaints")}}, "n");
  if (!before.ok()) return before.status();
  const auto after =
      KueueNode({{"taints", KueueMember(input.input, "taints")}}, "n");
  if (!after.ok()) return after.status();
  return Json{{"handled",
               kueue::NodeUpdateCounts(*update ? &*before : nullptr, *after)}};
}

absl::StatusOr<Json> KueueRecoveryFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input", {"now", "pod", "node"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  const Json json = KueueMember(input.input, "pod");
  if (json.is_null()) {
    return Json{{"phase", Json()}, {"condition", Json()}, {"event", Json()}};
  }
  const auto pods = KueuePods(Json::array({json}), *now);
  if (!pods.ok()) return pods.status();
  const Pod& pod = pods->front();
  const auto node =
      OptionalNode(KueueMember(input.input, "node"), pod.spec().node_name());
  if (!node.ok()) return node.status();
  const kueue::Recovery recovery =
      kueue::RecoverPod(pod, node->has_value() ? &**node : nullptr, *now);
  const std::string& phase = pod.status().phase();
  const bool ended = phase == "Succeeded" || phase == "Failed";
  const bool fails = recovery.condition.has_value() && !ended;
  return Json{
      {"phase", fails ? "Failed" : phase},
      {"condition", recovery.condition.has_value()
                        ? MessageJson(*recovery.condition)
                        : Json()},
      {"event", KueueEventJson(recovery.event)},
      {"deleted", recovery.condition.has_value()},
      {"requeueAfterSeconds", KueueSecondsJson(recovery.requeue_after)}};
}

}  // namespace mulligan::conformance
