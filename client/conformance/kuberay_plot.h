// What happens in a case of KubeRay, read off its member `event`.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_PLOT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_PLOT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/conformance/case.h"
#include "policy/native/kuberay_reconcile.h"

namespace mulligan::conformance {

struct KubeRayPlot {
  // How the submitter ends. By default it follows the application.
  enum class Submitter { kFollows, kUnfinished, kSucceeds, kFails };
  // What goes wrong beside the application, once it runs.
  enum class Mishap {
    kNone,
    kHeadLost,
    kSubmitterPodLost,
    kContainerKilled,
    kClusterStatusChanges
  };
  // A call for a pod: "create" or "delete", and "head" or "worker"; empty:
  // there is none.
  struct PodCall {
    std::string call;
    std::string node;
  };

  // What Ray says of the application; absent: nothing is told.
  std::optional<kuberay::RayAnswer> ray;
  Submitter submitter = Submitter::kFollows;
  std::optional<std::int64_t> seconds_since_submitter_finished;
  // status.state of the cluster; absent: nothing is told.
  std::optional<std::string> cluster_state;
  bool cluster_never_ready = false;
  // A deadline of the time before Running is told to be kept.
  bool runs_in_time = false;
  bool cluster_deletion_blocked = false;
  bool cluster_gone = false;
  Mishap mishap = Mishap::kNone;
  // API calls that fail.
  kuberay::CallErrors errors;
  // The call for a pod of the cluster that fails.
  PodCall failing_pod_call;
  // Changes of the spec, one after the other.
  std::vector<Json> spec_updates;
};

// UNIMPLEMENTED names a member or sentence that is not understood, unless the
// other members say what the sentence says.
absl::StatusOr<KubeRayPlot> KubeRayPlotFrom(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_PLOT_H_
