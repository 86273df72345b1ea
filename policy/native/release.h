// Releases of operators as policies name them, and their feature gates and what
// came with a release as tables of the switches they turn.
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

// The minor number of a release of `major`, written "1.30", "v1.30" or
// "1.30.4"; nothing for anything else.
std::optional<int> MinorOf(std::string_view release, int major);

// The releases of an operator whose semantics are known here.
struct Releases {
  // In NativeSemantics.versions.
  std::string name;
  int major;
  // Taken where the policy names none, and the newest one.
  int usual_minor;
  int latest_minor;
};

// The minor release of versions[name]. What is no release, or a newer one, is
// the latest, and said in `warnings`.
int ChosenMinor(const v1::NativeSemantics& semantics, const Releases& releases,
                std::vector<std::string>& warnings);

// A switch that came, or is on, with a release, or that a feature gate turns.
template <typename Switches>
struct SwitchRow {
  // The gate by the operator's own name; empty: only the release decides.
  std::string_view gate;
  bool Switches::*on;
  // The minor release since which it is on where no gate says otherwise.
  int since_minor = std::numeric_limits<int>::max();
};

// An operator as a policy describes it, and what was not understood.
template <typename Settings>
struct Setup {
  Settings settings;
  // "kubernetes 1.34".
  std::string semantics;
  std::vector<std::string> warnings;
  // Those of the policy's feature gates that the operator has.
  std::vector<std::string> gates;
};

// Sets the gates of the rows that are in feature_gates, and adds them to
// `found`; those of other operators are passed over.
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

// What the chosen release has, then feature_gates by name.
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

// Those members of a message's map whose names begin with `prefix`, by their
// names. The map's own order is another in every process, and what is said of
// its members would be, too.
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
