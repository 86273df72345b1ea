#include "policy/operators/jobset/settings.h"

#include <array>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan::jobset {
namespace {

constexpr int kLatestMinor = 12;

constexpr std::array<GateRow<Gates>, 2> kGates = {{
    {"RestartJob", &Gates::restart_job},
    {"InPlaceRestart", &Gates::in_place_restart},
}};

constexpr std::array<FeatureRow<Gates>, 3> kFeatures = {{
    {&Gates::message_patterns, 10},
    {&Gates::restart_job_actions, 12},
    {&Gates::restarting_condition, 12},
}};

}  // namespace

bool SetGate(const std::string& name, bool enabled, Gates& gates) {
  return SetGateIn(kGates, name, enabled, gates);
}

GateSetup<Gates> GatesFor(const v1::NativeSemantics& semantics) {
  GateSetup<Gates> setup;
  const int minor =
      ChosenMinor(semantics, "jobset", 0, kLatestMinor, setup.warnings);
  setup.semantics = absl::StrFormat("jobset 0.%d", minor);
  SetRelease(kFeatures, minor, setup.gates);
  SetGates(kGates, semantics, setup.gates);
  return setup;
}

}  // namespace mulligan::jobset
