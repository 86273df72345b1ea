#include "policy/operators/rayjob/cluster_pods.h"

#include <string>

namespace mulligan::rayjob {
namespace {

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

}  // namespace mulligan::rayjob
