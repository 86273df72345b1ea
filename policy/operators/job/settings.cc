#include "policy/operators/job/settings.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace mulligan::job {
namespace {

constexpr int kLatestMinor = 34;

struct DefaultedGate {
  // Empty: the release alone decides.
  std::string_view name;
  bool Gates::*gate;
  // Minor release of Kubernetes 1 from which the gate is on by default.
  int since_minor;
};

constexpr std::array<DefaultedGate, 7> kGates = {{
    {"JobPodFailurePolicy", &Gates::pod_failure_policy, 26},
    {"SidecarContainers", &Gates::sidecar_containers, 29},
    {"JobBackoffLimitPerIndex", &Gates::backoff_limit_per_index, 29},
    {"JobPodReplacementPolicy", &Gates::pod_replacement_policy, 29},
    {"JobSuccessPolicy", &Gates::success_policy, 31},
    {"JobManagedBy", &Gates::managed_by, 32},
    {"", &Gates::interim_conditions, 31},
}};

constexpr std::int32_t kBackoffLimit = 6;
// With limits per index the common one is out of the way.
constexpr std::int32_t kBackoffLimitWithPerIndex =
    std::numeric_limits<std::int32_t>::max();

}  // namespace

bool SetGate(const std::string& name, bool enabled, Gates& gates) {
  return !name.empty() && SetGateIn(kGates, name, enabled, gates);
}

GateSetup<Gates> GatesFor(const v1::NativeSemantics& semantics) {
  GateSetup<Gates> setup;
  const int minor =
      ChosenMinor(semantics, "kubernetes", 1, kLatestMinor, setup.warnings);
  setup.semantics = absl::StrFormat("kubernetes 1.%d", minor);
  SetRelease(kGates, minor, setup.gates);
  for (const auto& [name, enabled] : semantics.feature_gates()) {
    SetGate(name, enabled, setup.gates);
  }
  return setup;
}

bool IsIndexed(const JobSpec& spec) {
  return spec.completion_mode() == "Indexed";
}

bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates) {
  return gates.backoff_limit_per_index && spec.has_backoff_limit_per_index();
}

void SetJobDefaults(const Gates& gates, JobSpec& spec) {
  if (!spec.has_completions() && !spec.has_parallelism()) {
    spec.set_completions(1);
  }
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit()) {
    spec.set_backoff_limit(HasBackoffLimitPerIndex(spec, gates)
                               ? kBackoffLimitWithPerIndex
                               : kBackoffLimit);
  }
  if (!spec.has_completion_mode()) spec.set_completion_mode("NonIndexed");
  if (!spec.has_pod_replacement_policy() && gates.pod_replacement_policy) {
    spec.set_pod_replacement_policy(
        spec.has_pod_failure_policy() ? "Failed" : "TerminatingOrFailed");
  }
  if (!spec.has_pod_failure_policy()) return;
  for (auto& rule : *spec.mutable_pod_failure_policy()->mutable_rules()) {
    for (auto& pattern : *rule.mutable_on_pod_conditions()) {
      if (pattern.status().empty()) pattern.set_status("True");
    }
  }
}

}  // namespace mulligan::job
