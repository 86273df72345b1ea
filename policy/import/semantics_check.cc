// The set-up of operators that a policy names.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/import/import.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/job/objects.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/kubeflow/settings.h"
#include "policy/operators/kueue/settings.h"
#include "policy/operators/native.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/spark/reconcile.h"
#include "policy/operators/trainjob/reconcile.h"

namespace mulligan {
namespace {

using Warnings = std::vector<std::string>;

struct OperatorRow {
  // Key in versions; with a dot, prefix of its keys in settings.
  std::string_view name;
  bool has_settings;
  // Whether it has such a feature gate; null: it has none.
  bool (*has_gate)(const std::string& name);
  // What it reads differently than it is written: "versions.x: why".
  Warnings (*warnings)(const v1::NativeSemantics&);
};

template <auto SetGate, typename Gates>
bool HasGate(const std::string& name) {
  Gates unused;
  return SetGate(name, true, unused);
}

template <auto SetUp>
Warnings WarningsOf(const v1::NativeSemantics& semantics) {
  return SetUp(semantics).warnings;
}

constexpr OperatorRow kOperators[] = {
    {"flyte", true, HasGate<flyte::SetGate, flyte::Rules>,
     WarningsOf<flyte::SettingsFor>},
    {"jobset", false, HasGate<jobset::SetGate, jobset::Gates>,
     WarningsOf<jobset::GatesFor>},
    {"kubeflow", true, nullptr, WarningsOf<kubeflow::VersionFor>},
    {"kuberay", true, HasGate<rayjob::SetGate, rayjob::Settings>,
     WarningsOf<rayjob::SettingsFor>},
    {"kubernetes", false, HasGate<job::SetGate, job::Gates>,
     WarningsOf<job::GatesFor>},
    {"kueue", true, HasGate<kueue::SetGate, kueue::Gates>,
     WarningsOf<kueue::SettingsFor>},
    {"spark", true, nullptr, WarningsOf<spark::SettingsFor>},
    {"trainer", false, nullptr, WarningsOf<trainjob::VersionFor>},
};

// "flyte, jobset, ...": the names of the operators that fulfil `predicate`.
template <typename Predicate>
std::string NamesOf(Predicate predicate) {
  std::string names;
  for (const OperatorRow& row : kOperators) {
    if (!predicate(row)) continue;
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

// The keys that no operator reads. Sorted, so that the same policy is always
// reported in the same order.
template <typename Map, typename Reads>
std::vector<std::string> UnreadKeys(const Map& map, Reads reads) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) {
    const std::string& name = key;
    if (std::none_of(
            std::begin(kOperators), std::end(kOperators),
            [&](const OperatorRow& row) { return reads(row, name); })) {
      keys.push_back(name);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string Entry(const std::string& path, std::string_view map,
                  std::string_view key) {
  return absl::StrFormat("%s.%s[%s]", path, map, key);
}

// "versions.x: why" as a warning at versions[x]. A gate that its operator does
// not know was reported already.
void Relay(const std::string& warning, const std::string& path,
           IssueReporter& report) {
  const std::string_view text(warning);
  const std::size_t dot = text.find('.');
  const std::size_t colon = text.find(": ");
  if (dot == std::string_view::npos || colon == std::string_view::npos ||
      dot > colon) {
    report.Warn(path, warning);
    return;
  }
  const std::string_view map = text.substr(0, dot);
  if (map == "featureGates") return;
  report.Warn(Entry(path, map, text.substr(dot + 1, colon - dot - 1)),
              std::string(text.substr(colon + 2)));
}

}  // namespace

void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report) {
  const std::string& name = semantics.operator_();
  if (!name.empty() && !IsNativeOperator(name)) {
    report.Error(
        path + ".operator",
        absl::StrFormat("\"%s\" is no operator whose semantics are known, "
                        "expected one of %s",
                        name, NativeOperatorNames()));
  }
  const auto is_named = [](const OperatorRow& row, const std::string& key) {
    return row.name == key;
  };
  for (const std::string& key : UnreadKeys(semantics.versions(), is_named)) {
    report.Error(
        Entry(path, "versions", key),
        absl::StrFormat("\"%s\" is no operator whose versions are known, "
                        "expected one of %s",
                        key, NamesOf([](const OperatorRow&) { return true; })));
  }
  const auto has_gate = [](const OperatorRow& row, const std::string& key) {
    return row.has_gate != nullptr && row.has_gate(key);
  };
  for (const std::string& key :
       UnreadKeys(semantics.feature_gates(), has_gate)) {
    report.Warn(Entry(path, "featureGates", key),
                absl::StrFormat("\"%s\" is no feature gate known to bear on "
                                "failures; it changes nothing",
                                key));
  }
  const auto has_setting = [](const OperatorRow& row, const std::string& key) {
    return row.has_settings && key.substr(0, key.find('.')) == row.name &&
           key != row.name;
  };
  for (const std::string& key : UnreadKeys(semantics.settings(), has_setting)) {
    report.Error(
        Entry(path, "settings", key),
        absl::StrFormat(
            "\"%s\" is no setting of an operator, expected OPERATOR.NAME with "
            "one of %s",
            key,
            NamesOf([](const OperatorRow& row) { return row.has_settings; })));
  }
  for (const OperatorRow& row : kOperators) {
    for (const std::string& warning : row.warnings(semantics)) {
      Relay(warning, path, report);
    }
  }
}

}  // namespace mulligan
