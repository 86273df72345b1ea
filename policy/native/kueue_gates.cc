#include "policy/native/kueue_gates.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/native/release.h"

namespace mulligan::kueue {
namespace {

struct GateRow {
  std::string_view name;
  bool Gates::*gate;
};

constexpr std::array<GateRow, 8> kGates = {{
    {"SkipReassignmentForPodOwnedWorkloads", &Gates::skip_pod_owned_workloads},
    {"PrioritySortingWithinCohort", &Gates::priority_sorting_within_cohort},
    {"DisableWaitForPodsReady", &Gates::disable_wait_for_pods_ready},
    {"UnadmittedWorkloadsObservability", &Gates::unadmitted_observability},
    {"TASReplaceNodeOnPodTermination", &Gates::replace_node_on_pod_termination},
    {"TASReplaceNodeOnNodeTaints", &Gates::replace_node_on_taints},
    {"TASReplaceNodeDueToNotReadyOverFixedTime",
     &Gates::replace_node_after_fixed_time},
    {"TASFailedNodeReplacementFailFast", &Gates::fail_fast_without_replacement},
}};

struct FeatureRow {
  bool Gates::*feature;
  // Minor release of Kueue 0 that brought it, or made it the default.
  int since_minor;
};

constexpr std::array<FeatureRow, 2> kFeatures = {{
    {&Gates::skip_pod_owned_workloads, 19},
    {&Gates::reactivates_own_deactivations, 20},
}};

// The release that was read, and the newest one of which a change is known.
constexpr int kDefaultMinor = 19;
constexpr int kNewestMinor = 20;

}  // namespace

bool SetGate(const std::string& name, bool enabled, Gates& gates) {
  for (const GateRow& row : kGates) {
    if (row.name == name) {
      gates.*row.gate = enabled;
      return true;
    }
  }
  return false;
}

GateSetup GatesFor(const v1::NativeSemantics& semantics) {
  GateSetup setup;
  const bool chosen = semantics.versions().count("kueue") > 0;
  const int minor =
      chosen ? ChosenMinor(semantics, "kueue", 0, kNewestMinor, setup.warnings)
             : kDefaultMinor;
  setup.semantics = absl::StrFormat("kueue 0.%d", minor);
  for (const FeatureRow& row : kFeatures) {
    setup.gates.*row.feature = minor >= row.since_minor;
  }
  for (const auto& [name, enabled] : semantics.feature_gates()) {
    SetGate(name, enabled, setup.gates);
  }
  return setup;
}

}  // namespace mulligan::kueue
