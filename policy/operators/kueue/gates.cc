#include "policy/operators/kueue/gates.h"

#include <array>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/operators/gate_table.h"
#include "policy/operators/release.h"

namespace mulligan::kueue {
namespace {

constexpr std::array<GateRow<Gates>, 7> kGates = {{
    {"SkipReassignmentForPodOwnedWorkloads", &Gates::skip_pod_owned_workloads},
    {"DisableWaitForPodsReady", &Gates::disable_wait_for_pods_ready},
    {"UnadmittedWorkloadsObservability", &Gates::unadmitted_observability},
    {"TASReplaceNodeOnPodTermination", &Gates::replace_node_on_pod_termination},
    {"TASReplaceNodeOnNodeTaints", &Gates::replace_node_on_taints},
    {"TASReplaceNodeDueToNotReadyOverFixedTime",
     &Gates::replace_node_after_fixed_time},
    {"TASFailedNodeReplacementFailFast", &Gates::fail_fast_without_replacement},
}};

constexpr std::array<FeatureRow<Gates>, 2> kFeatures = {{
    {&Gates::skip_pod_owned_workloads, 19},
    {&Gates::reactivates_own_deactivations, 20},
}};

// The release that was read, and the newest one of which a change is known.
constexpr int kDefaultMinor = 19;
constexpr int kNewestMinor = 20;

}  // namespace

bool SetGate(const std::string& name, bool enabled, Gates& gates) {
  return SetGateIn(kGates, name, enabled, gates);
}

GateSetup GatesFor(const v1::NativeSemantics& semantics) {
  GateSetup setup;
  const bool chosen = semantics.versions().count("kueue") > 0;
  const int minor =
      chosen ? ChosenMinor(semantics, "kueue", 0, kNewestMinor, setup.warnings)
             : kDefaultMinor;
  setup.semantics = absl::StrFormat("kueue 0.%d", minor);
  SetRelease(kFeatures, minor, setup.gates);
  SetGates(kGates, semantics, setup.gates);
  return setup;
}

}  // namespace mulligan::kueue
