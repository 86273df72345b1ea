#include "policy/operators/job/gates.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/release.h"

namespace mulligan::job {
namespace {

constexpr int kLatestMinor = 34;
// Release that made interim conditions the rule for every verdict.
constexpr int kInterimConditionsMinor = 31;

struct DefaultedGate {
  std::string_view name;
  bool Gates::*gate;
  // Minor release of Kubernetes 1 from which the gate is on by default.
  int since_minor;
};

constexpr std::array<DefaultedGate, 6> kGates = {{
    {"JobPodFailurePolicy", &Gates::pod_failure_policy, 26},
    {"SidecarContainers", &Gates::sidecar_containers, 29},
    {"JobBackoffLimitPerIndex", &Gates::backoff_limit_per_index, 29},
    {"JobPodReplacementPolicy", &Gates::pod_replacement_policy, 29},
    {"JobSuccessPolicy", &Gates::success_policy, 31},
    {"JobManagedBy", &Gates::managed_by, 32},
}};

}  // namespace

bool DelaysTerminalCondition(const Gates& gates) {
  return gates.interim_conditions &&
         (gates.managed_by || gates.pod_replacement_policy);
}

bool SetGate(const std::string& name, bool enabled, Gates& gates) {
  return SetGateIn(kGates, name, enabled, gates);
}

GateSetup GatesFor(const v1::NativeSemantics& semantics) {
  GateSetup setup;
  const int minor =
      ChosenMinor(semantics, "kubernetes", 1, kLatestMinor, setup.warnings);
  setup.semantics = absl::StrFormat("kubernetes 1.%d", minor);
  SetRelease(kGates, minor, setup.gates);
  setup.gates.interim_conditions = minor >= kInterimConditionsMinor;
  SetGates(kGates, semantics, setup.gates);
  return setup;
}

}  // namespace mulligan::job
