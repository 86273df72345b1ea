// Operator releases as policies name them, and tables of the switches that
// releases and feature gates turn.
#ifndef MULLIGAN_POLICY_NATIVE_RELEASE_H_
#define MULLIGAN_POLICY_NATIVE_RELEASE_H_

#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "mulligan/v1/native.pb.h"

namespace mulligan {

// Returns the minor number of a release of `major`, written "1.30", "v1.30" or
// "1.30.4"; nothing for any other text.
std::optional<int> MinorOf(std::string_view release, int major);

// The releases of an operator whose semantics are implemented.
struct Releases {
  // Key in NativeSemantics.versions.
  std::string name;
  int major;
  // The minor release if the policy names none, and the newest one.
  int usual_minor;
  int latest_minor;
};

// Returns the minor release of versions[name]. An invalid or newer release
// becomes the latest, with a warning.
int ChosenMinor(const v1::NativeSemantics& semantics, const Releases& releases,
                std::vector<std::string>& warnings);

// A switch that is turned by a release or by a feature gate.
template <typename Switches>
struct SwitchRow {
  // The gate's own name; empty if only the release decides.
  std::string_view gate;
  bool Switches::*on;
  // On since this minor release, unless a gate says otherwise.
  int since_minor = std::numeric_limits<int>::max();
};

// An operator as a policy describes it, with warnings.
template <typename Settings>
struct Setup {
  Settings settings;
  // "kubernetes 1.34".
  std::string semantics;
  std::vector<std::string> warnings;
  // The policy's feature gates that belong to this operator.
  std::vector<std::string> gates;
};

// Applies feature_gates to the rows and adds the gates applied to `found`.
// Skips gates of other operators.
template <typename Rows, typename Switches>
void SetGates(const Rows& rows, const v1::NativeSemantics& semantics,
              Switches& switches, std::vector<std::string>& found) {
  for (const auto& row : rows) {
    const auto gate = semantics.feature_gates().find(std::string(row.gate));
    if (row.gate.empty() || gate == semantics.feature_gates().end()) continue;
    switches.*row.on = gate->second;
    found.push_back(gate->first);
  }
}

// Applies the chosen release, then feature_gates.
template <typename Settings, std::size_t N>
Setup<Settings> SetUpBy(const v1::NativeSemantics& semantics,
                        const Releases& releases,
                        const std::array<SwitchRow<Settings>, N>& rows) {
  Setup<Settings> setup;
  const int minor = ChosenMinor(semantics, releases, setup.warnings);
  setup.semantics =
      absl::StrCat(releases.name, " ", releases.major, ".", minor);
  for (const auto& row : rows) {
    setup.settings.*row.on = minor >= row.since_minor;
  }
  SetGates(rows, semantics, setup.settings, setup.gates);
  return setup;
}

// Returns the members of a map whose names begin with `prefix`, sorted by name.
// The map's own order differs between processes, which would make warnings
// differ too.
template <typename Map>
std::map<std::string_view, typename Map::mapped_type> ByName(
    const Map& members, std::string_view prefix) {
  std::map<std::string_view, typename Map::mapped_type> found;
  for (const auto& [name, value] : members) {
    if (std::string_view(name).starts_with(prefix)) found.emplace(name, value);
  }
  return found;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_RELEASE_H_
