#include "policy/operators/kueue/nodes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/kueue/conditions.h"
#include "policy/operators/kueue/topology.h"

namespace mulligan::kueue {
namespace {

using Tolerations = std::vector<Toleration>;
using PodNames = std::vector<std::string>;

constexpr std::string_view kHostName = "kubernetes.io/hostname";
constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const kubernetes::core::v1::NodeCondition* ReadyOf(const Node& node) {
  for (const auto& condition : node.status().conditions()) {
    if (condition.type() == "Ready") return &condition;
  }
  return nullptr;
}

bool Repels(const Taint& taint) {
  return taint.effect() == "NoSchedule" || taint.effect() == "NoExecute";
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect().empty() && toleration.effect() != taint.effect()) {
    return false;
  }
  if (!toleration.key().empty() && toleration.key() != taint.key()) {
    return false;
  }
  if (toleration.operator_() == "Exists") return true;
  return (toleration.operator_().empty() ||
          toleration.operator_() == "Equal") &&
         toleration.value() == taint.value();
}

enum class Tolerance { kForEver, kForAWhile, kNone };

Tolerance ToleranceOf(const Taint& taint, const Tolerations& tolerations) {
  Tolerance best = Tolerance::kNone;
  for (const Toleration& toleration : tolerations) {
    if (!Tolerates(toleration, taint)) continue;
    if (!toleration.has_toleration_seconds()) return Tolerance::kForEver;
    best = Tolerance::kForAWhile;
  }
  return best;
}

void AddUpdates(const WorkloadStatus& status, const std::string& pod_set,
                Tolerations& tolerations) {
  for (const AdmissionCheckState& check : status.admission_checks()) {
    for (const auto& update : check.pod_set_updates()) {
      if (update.name() != pod_set) continue;
      tolerations.insert(tolerations.end(), update.tolerations().begin(),
                         update.tolerations().end());
      break;
    }
  }
}

// What the pods of each set on the node put up with.
std::vector<Tolerations> TolerationsOn(const NodeView& view,
                                       const Workload& workload) {
  std::vector<Tolerations> all;
  for (const auto& assignment :
       workload.status().admission().pod_set_assignments()) {
    if (!Contains(HostNames(assignment.topology_assignment()), view.name)) {
      continue;
    }
    for (const auto& pod_set : workload.spec().pod_sets()) {
      if (pod_set.name() != assignment.name()) continue;
      const auto& own = pod_set.template_().spec().tolerations();
      Tolerations tolerations(own.begin(), own.end());
      tolerations.insert(tolerations.end(), view.flavor_tolerations.begin(),
                         view.flavor_tolerations.end());
      AddUpdates(workload.status(), pod_set.name(), tolerations);
      all.push_back(std::move(tolerations));
    }
  }
  return all;
}

// The least any pod set puts up with.
Tolerance ToleranceOfNode(const NodeView& view, const Workload& workload) {
  Tolerance worst = Tolerance::kForEver;
  const std::vector<Tolerations> pod_sets = TolerationsOn(view, workload);
  for (const Taint& taint : view.node->spec().taints()) {
    if (!Repels(taint)) continue;
    for (const Tolerations& tolerations : pod_sets) {
      worst = std::max(worst, ToleranceOf(taint, tolerations));
    }
  }
  return worst;
}

bool IsGated(const Pod& pod) {
  const auto& gates = pod.spec().scheduling_gates();
  return std::any_of(gates.begin(), gates.end(), [](const auto& gate) {
    return gate.name() == kTopologyGate;
  });
}

bool IsStuckOn(const NodeView& view, const Pod& pod) {
  const auto& selector = pod.spec().node_selector();
  const auto host = selector.find(std::string(kHostName));
  return host != selector.end() && host->second == view.name &&
         pod.spec().node_name().empty() && job::HasPhase(pod, "Pending") &&
         !IsGated(pod);
}

PodNames StuckPods(const NodeView& view) {
  PodNames names;
  for (const Pod* const pod : view.pods) {
    if (IsStuckOn(view, *pod)) names.push_back(pod->metadata().name());
  }
  return names;
}

NodeHealth HealthByPods(const NodeView& view, bool assigned) {
  NodeHealth health;
  health.pods_to_terminate = StuckPods(view);
  health.healthy =
      !assigned ||
      std::any_of(view.pods.begin(), view.pods.end(), [&](const Pod* pod) {
        return pod->spec().node_name() == view.name && job::IsActive(*pod);
      });
  return health;
}

bool IsReady(const Node& node) {
  const auto* const ready = ReadyOf(node);
  return ready != nullptr && ready->status() == "True";
}

PodNames UnhealthyNames(const WorkloadStatus& status) {
  PodNames names;
  for (const auto& node : status.unhealthy_nodes()) {
    names.push_back(node.name());
  }
  return names;
}

void TakeOff(std::string_view name, WorkloadStatus& status) {
  auto& nodes = *status.mutable_unhealthy_nodes();
  nodes.erase(
      std::remove_if(nodes.begin(), nodes.end(),
                     [&](const auto& node) { return node.name() == name; }),
      nodes.end());
}

// True: evicted.
bool List(const NodeView& view, WorkloadStatus& status) {
  PodNames names = UnhealthyNames(status);
  if (Contains(names, view.name)) return false;
  if (names.empty()) {
    status.add_unhealthy_nodes()->set_name(std::string(view.name));
    return false;
  }
  names.emplace_back(view.name);
  Evict({std::string(kNodeFailures), "",
         absl::StrCat("Workload eviction triggered due to multiple TAS "
                      "assigned node failures, including: ",
                      absl::StrJoin(names, ", "))},
        view.now, status);
  return true;
}

// NotReady time still to pass; 0 for a node that is ready, or has been
// NotReady for long enough.
absl::Duration DelayLeft(const NodeView& view) {
  const auto* const ready = ReadyOf(*view.node);
  if (ready == nullptr || ready->status() == "True") {
    return absl::ZeroDuration();
  }
  const absl::Duration since = view.now - ToTime(ready->last_transition_time());
  return std::max(kNodeFailureDelay - since, absl::ZeroDuration());
}

}  // namespace

std::vector<std::string> AssignedNodes(const WorkloadStatus& status) {
  std::vector<std::string> nodes;
  for (const auto& assignment : status.admission().pod_set_assignments()) {
    for (std::string& name : HostNames(assignment.topology_assignment())) {
      if (!Contains(nodes, name)) nodes.push_back(std::move(name));
    }
  }
  return nodes;
}

NodeHealth HealthOn(const NodeView& view, const Workload& workload) {
  if (!Contains(AssignedNodes(workload.status()), view.name)) {
    return HealthByPods(view, /*assigned=*/false);
  }
  if (view.node == nullptr) return {false, {}};
  const bool by_pods = view.gates.replace_node_on_pod_termination;
  if (!IsReady(*view.node)) {
    return by_pods ? HealthByPods(view, true) : NodeHealth{false, {}};
  }
  if (!view.gates.replace_node_on_taints) return {};
  switch (ToleranceOfNode(view, workload)) {
    case Tolerance::kForEver:
      return {};
    case Tolerance::kForAWhile:
      return HealthByPods(view, true);
    case Tolerance::kNone:
      break;
  }
  return by_pods ? HealthByPods(view, true) : NodeHealth{false, {}};
}

NodeVerdict ReconcileNode(const NodeView& view, const Workload& workload) {
  NodeVerdict verdict;
  verdict.workload = workload;
  WorkloadStatus& status = *verdict.workload.mutable_status();
  const bool assigned = Contains(AssignedNodes(status), view.name);
  const bool gone = view.node == nullptr || ReadyOf(*view.node) == nullptr;
  absl::Duration left;
  bool not_ready = false;
  if (!gone) {
    not_ready = !IsReady(*view.node);
    left = DelayLeft(view);
    if (left > absl::ZeroDuration() &&
        !view.gates.replace_node_on_pod_termination) {
      verdict.requeue_after = left;
      return verdict;
    }
  }
  if (IsFinished(status) || IsEvicted(status)) return verdict;
  if (gone) {
    if (assigned) verdict.evicted = List(view, status);
    return verdict;
  }
  const bool overdue = view.gates.replace_node_after_fixed_time && not_ready &&
                       left == absl::ZeroDuration();
  NodeHealth health = HealthOn(view, workload);
  if (!health.healthy || (overdue && assigned)) {
    verdict.evicted = List(view, status);
  } else {
    TakeOff(view.name, status);
  }
  if (!verdict.evicted) {
    verdict.pods_failed = std::move(health.pods_to_terminate);
  }
  return verdict;
}

bool EvictWithoutReplacement(const Gates& gates, absl::Time now,
                             WorkloadStatus& status) {
  const PodNames names = UnhealthyNames(status);
  if (names.empty() || !gates.fail_fast_without_replacement ||
      IsEvicted(status)) {
    return false;
  }
  Evict({std::string(kNodeFailures), "",
         absl::StrCat("Workload was evicted as there was no replacement for "
                      "unhealthy node(s): ",
                      absl::StrJoin(names, ", "))},
        now, status);
  return true;
}

}  // namespace mulligan::kueue
