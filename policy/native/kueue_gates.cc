#include "policy/native/kueue_gates.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"

namespace mulligan::kueue {
namespace {

constexpr int kLatestMinor = 19;

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

// The minor number of "0.19", "v0.19" or "0.19.2".
std::optional<int> MinorOf(std::string_view release) {
  if (release.starts_with('v')) release.remove_prefix(1);
  if (!release.starts_with("0.")) return std::nullopt;
  release.remove_prefix(2);
  int minor = 0;
  const char* const last = release.data() + release.size();
  const auto [end, error] = std::from_chars(release.data(), last, minor);
  if (error != std::errc() || minor < 0 || (end != last && *end != '.')) {
    return std::nullopt;
  }
  return minor;
}

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
  int minor = kLatestMinor;
  const auto version = semantics.versions().find("kueue");
  if (version != semantics.versions().end()) {
    if (const auto parsed = MinorOf(version->second)) {
      minor = *parsed;
    } else {
      setup.warnings.push_back(absl::StrFormat(
          "versions.kueue: '%s' is no release like 0.19; the semantics of 0.%d "
          "are used",
          version->second, kLatestMinor));
    }
  }
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
