#include "policy/native/kuberay_cluster_pods.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"

namespace mulligan::kuberay {
namespace {

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HasEndedRayContainer(const Pod& pod) {
  const std::string& ray =
      pod.spec().containers().empty()
          ? std::string()
          : pod.spec().containers(kRayContainerIndex).name();
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    if (container.name() == ray) return container.state().has_terminated();
  }
  return false;
}

}  // namespace

bool ShouldDeletePod(const Pod& pod) {
  const std::string& phase = pod.status().phase();
  if (phase == "Failed" || phase == "Succeeded") return true;
  return phase == "Running" && pod.spec().restart_policy() == "Never" &&
         HasEndedRayContainer(pod);
}

PodPlan PlanWorkers(const WorkerGroup& group, const std::vector<Pod>& pods,
                    const Settings& settings) {
  PodPlan plan;
  for (const Pod& pod : pods) {
    if (ShouldDeletePod(pod)) plan.deleted.push_back(pod.metadata().name());
  }
  if (!plan.deleted.empty()) {
    plan.error =
        absl::StrFormat("delete %d unhealthy worker Pods", plan.deleted.size());
    return plan;
  }
  std::vector<std::string> left;
  for (const Pod& pod : pods) {
    const std::string& name = pod.metadata().name();
    (Has(group.workers_to_delete, name) ? plan.deleted : left).push_back(name);
  }
  const auto running = static_cast<std::int64_t>(left.size());
  if (running <= group.expected) {
    plan.created = group.expected - running;
    return plan;
  }
  // With an autoscaler only it names pods, unless the operator is set up
  // otherwise.
  if (!group.autoscaling || settings.random_pod_delete) {
    plan.deleted.insert(plan.deleted.end(), left.begin(),
                        left.end() - std::max<std::int64_t>(0, group.expected));
  }
  return plan;
}

PodPlan PlanHead(const std::vector<Pod>& heads, bool provisioned_for_good) {
  PodPlan plan;
  if (heads.empty()) {
    plan.created = provisioned_for_good ? 0 : 1;
  } else if (ShouldDeletePod(heads.front())) {
    const Pod& head = heads.front();
    plan.deleted.push_back(head.metadata().name());
    plan.error = absl::StrFormat("head Pod %s is %s", head.metadata().name(),
                                 head.status().phase());
  }
  return plan;
}

}  // namespace mulligan::kuberay
