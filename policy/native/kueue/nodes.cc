// The effect of failed nodes on a workload.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/native/kueue/workload.h"

namespace mulligan::kueue {
namespace {

using Names = std::vector<std::string>;
using PodSet = kubernetes::kueue::v1beta2::PodSet;
using PodSetAssignment = kubernetes::kueue::v1beta2::PodSetAssignment;
using TopologyAssignment = kubernetes::kueue::v1beta2::TopologyAssignment;
using Taint = kubernetes::core::v1::Taint;
using Toleration = kubernetes::core::v1::Toleration;
using Tolerations = std::vector<Toleration>;

// NotReady for this long is enough if the pods are not checked.
constexpr absl::Duration kNodeFailureDelay = absl::Seconds(30);

Names HostNames(const TopologyAssignment& assignment) {
  const auto& levels = assignment.levels();
  if (levels.empty() || *levels.rbegin() != "kubernetes.io/hostname") return {};
  Names names;
  for (const auto& domain : assignment.domains()) {
    if (!domain.values().empty()) names.push_back(*domain.values().rbegin());
  }
  for (const auto& slice : assignment.slices()) {
    if (slice.values_per_level().empty()) continue;
    const auto& lowest = *slice.values_per_level().rbegin();
    if (lowest.has_universal()) names.push_back(lowest.universal());
    const auto& individual = lowest.individual();
    for (const std::string& root : individual.roots()) {
      names.push_back(
          absl::StrCat(individual.prefix(), root, individual.suffix()));
    }
  }
  return names;
}

const kubernetes::core::v1::NodeCondition* ReadyOf(const Node& node) {
  return FindCondition(node.status().conditions(), "Ready");
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

// Returns the tolerations of the template and those that checks add.
Tolerations TolerationsOf(const PodSet& pod_set, const WorkloadStatus& status) {
  const auto& own = pod_set.template_().spec().tolerations();
  Tolerations tolerations(own.begin(), own.end());
  for (const AdmissionCheckState& check : status.admission_checks()) {
    for (const auto& update : check.pod_set_updates()) {
      if (update.name() != pod_set.name()) continue;
      tolerations.insert(tolerations.end(), update.tolerations().begin(),
                         update.tolerations().end());
    }
  }
  return tolerations;
}

bool IsOnNode(const Node& node, const PodSetAssignment& assignment) {
  return HasText(HostNames(assignment.topology_assignment()),
                 node.metadata().name());
}

// Returns the least tolerance of all pod sets on the node.
Tolerance ToleranceOfNode(const Node& node, const Workload& workload) {
  Tolerance worst = Tolerance::kForEver;
  const auto& assignments = workload.status().admission().pod_set_assignments();
  for (const PodSet& pod_set : workload.spec().pod_sets()) {
    const bool is_on_node =
        std::ranges::any_of(assignments, [&](const auto& assignment) {
          return assignment.name() == pod_set.name() &&
                 IsOnNode(node, assignment);
        });
    if (!is_on_node) continue;
    const Tolerations tolerations = TolerationsOf(pod_set, workload.status());
    for (const Taint& taint : node.spec().taints()) {
      if (taint.effect() != "NoSchedule" && taint.effect() != "NoExecute") {
        continue;
      }
      worst = std::max(worst, ToleranceOf(taint, tolerations));
    }
  }
  return worst;
}

bool RunsPods(const NodeView& view, const Node& node) {
  return std::ranges::any_of(view.pods, [&](const Pod& pod) {
    return pod.spec().node_name() == node.metadata().name() && IsPodActive(pod);
  });
}

// Returns whether the node has been NotReady for less than 30 s, for which
// Kueue waits if it does not check the pods or if the time alone is enough.
bool IsTooEarly(const NodeView& view, const Node& node) {
  const auto* const ready = ReadyOf(node);
  return ready != nullptr && ready->status() != "True" &&
         view.now - ToTime(ready->last_transition_time()) < kNodeFailureDelay;
}

bool IsHealthy(const NodeView& view, const Node& node,
               const Workload& workload) {
  const auto* const ready = ReadyOf(node);
  if (ready == nullptr) return false;
  const bool by_pods = view.gates.replace_node_on_pod_termination;
  if (ready->status() != "True") {
    const bool overdue =
        view.gates.replace_node_after_fixed_time && !IsTooEarly(view, node);
    return !overdue && by_pods && RunsPods(view, node);
  }
  if (!view.gates.replace_node_on_taints) return true;
  const Tolerance tolerance = ToleranceOfNode(node, workload);
  if (tolerance == Tolerance::kForEver) return true;
  return (tolerance == Tolerance::kForAWhile || by_pods) &&
         RunsPods(view, node);
}

void TakeOff(const std::string& name, WorkloadStatus& status) {
  auto& nodes = *status.mutable_unhealthy_nodes();
  nodes.erase(
      std::remove_if(nodes.begin(), nodes.end(),
                     [&](const auto& node) { return node.name() == name; }),
      nodes.end());
}

void List(const std::string& name, WorkloadStatus& status) {
  Names names;
  for (const auto& node : status.unhealthy_nodes()) {
    names.push_back(node.name());
  }
  if (HasText(names, name)) return;
  if (names.empty()) {
    status.add_unhealthy_nodes()->set_name(name);
    return;
  }
  names.push_back(name);
  Evict({std::string(kNodeFailures), "",
         absl::StrCat("Workload eviction triggered due to multiple TAS "
                      "assigned node failures, including: ",
                      absl::StrJoin(names, ", "))},
        status);
}

}  // namespace

void FollowNodes(const NodeView& view, Workload& workload) {
  WorkloadStatus& status = *workload.mutable_status();
  const auto& assignments = status.admission().pod_set_assignments();
  for (const Node& node : view.nodes) {
    const bool is_assigned = std::ranges::any_of(
        assignments,
        [&](const auto& assignment) { return IsOnNode(node, assignment); });
    if (!is_assigned || IsTrue(status.conditions(), kEvicted) ||
        (!view.gates.replace_node_on_pod_termination &&
         IsTooEarly(view, node))) {
      continue;
    }
    if (IsHealthy(view, node, workload)) {
      TakeOff(node.metadata().name(), status);
    } else {
      List(node.metadata().name(), status);
    }
  }
}

}  // namespace mulligan::kueue
