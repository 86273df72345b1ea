#include "policy/native/jobset_gates.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/native/release.h"

namespace mulligan::jobset {
namespace {

constexpr int kLatestMinor = 12;

struct GateRow {
  std::string_view name;
  bool Gates::*gate;
};

constexpr std::array<GateRow, 2> kGates = {{
    {"RestartJob", &Gates::restart_job},
    {"InPlaceRestart", &Gates::in_place_restart},
}};

struct FeatureRow {
  bool Gates::*feature;
  // Minor release of JobSet 0 that brought it.
  int since_minor;
};

constexpr std::array<FeatureRow, 3> kFeatures = {{
    {&Gates::message_patterns, 10},
    {&Gates::restart_job_actions, 12},
    {&Gates::restarting_condition, 12},
}};

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
  const int minor =
      ChosenMinor(semantics, "jobset", 0, kLatestMinor, setup.warnings);
  setup.semantics = absl::StrFormat("jobset 0.%d", minor);
  for (const FeatureRow& row : kFeatures) {
    setup.gates.*row.feature = minor >= row.since_minor;
  }
  for (const auto& [name, enabled] : semantics.feature_gates()) {
    SetGate(name, enabled, setup.gates);
  }
  return setup;
}

}  // namespace mulligan::jobset
