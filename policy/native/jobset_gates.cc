#include "policy/native/jobset_gates.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"

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

// The minor number of "0.11", "v0.11" or "0.11.2".
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
  const auto version = semantics.versions().find("jobset");
  if (version != semantics.versions().end()) {
    if (const auto parsed = MinorOf(version->second)) {
      minor = *parsed;
    } else {
      setup.warnings.push_back(absl::StrFormat(
          "versions.jobset: '%s' is no release like 0.12; the semantics of "
          "0.%d are used",
          version->second, kLatestMinor));
    }
  }
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
