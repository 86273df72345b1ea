// Checks of the operators' set-up in a policy.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/native/flyte/settings.h"
#include "policy/native/import/import.h"
#include "policy/native/job/objects.h"
#include "policy/native/jobset/objects.h"
#include "policy/native/kubeflow/training_job.h"
#include "policy/native/kueue/settings.h"
#include "policy/native/native.h"
#include "policy/native/rayjob/settings.h"
#include "policy/native/spark/reconcile.h"
#include "policy/native/trainjob/reconcile.h"

namespace mulligan {
namespace {

// What an operator reads from a set-up.
struct Read {
  // Values that it does not use as written: "versions.x: why".
  std::vector<std::string> warnings;
  std::vector<std::string> gates;
};

struct OperatorRow {
  // Key in versions, and with a dot the prefix of its keys in settings.
  std::string_view name;
  bool has_settings;
  Read (*read)(const v1::NativeSemantics&);
};

template <auto SetUp>
Read ReadBy(const v1::NativeSemantics& semantics) {
  auto setup = SetUp(semantics);
  return {std::move(setup.warnings), std::move(setup.gates)};
}

constexpr OperatorRow kOperators[] = {
    {"flyte", true, ReadBy<flyte::SettingsFor>},
    {"jobset", false, ReadBy<jobset::GatesFor>},
    {"kubeflow", true, ReadBy<kubeflow::VersionFor>},
    {"kuberay", true, ReadBy<rayjob::SettingsFor>},
    {"kubernetes", false, ReadBy<job::GatesFor>},
    {"kueue", true, ReadBy<kueue::SettingsFor>},
    {"spark", true, ReadBy<spark::SettingsFor>},
    {"trainer", false, ReadBy<trainjob::VersionFor>},
};

// Returns the operators that satisfy `predicate`: "flyte, jobset, ...".
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

// Returns the keys that fail `is_read`, sorted so that the order of reports
// does not vary.
template <typename Map, typename Predicate>
std::vector<std::string> UnreadKeys(const Map& map, Predicate is_read) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) {
    if (!is_read(key)) keys.push_back(key);
  }
  std::ranges::sort(keys);
  return keys;
}

// Returns whether `predicate` holds for any operator.
template <typename Predicate>
bool AnyOperator(Predicate predicate) {
  return std::any_of(std::begin(kOperators), std::end(kOperators), predicate);
}

std::string Entry(const std::string& path, std::string_view map,
                  std::string_view key) {
  return absl::StrFormat("%s.%s[%s]", path, map, key);
}

// Reports "versions.x: why" at versions[x]. Skips unknown feature gates, which
// are reported already.
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
  const auto is_named = [](const std::string& key) {
    return AnyOperator([&](const OperatorRow& row) { return row.name == key; });
  };
  for (const std::string& key : UnreadKeys(semantics.versions(), is_named)) {
    report.Error(
        Entry(path, "versions", key),
        absl::StrFormat("\"%s\" is no operator whose versions are known, "
                        "expected one of %s",
                        key, NamesOf([](const OperatorRow&) { return true; })));
  }
  std::vector<std::string> warnings;
  std::set<std::string> gates;
  for (const OperatorRow& row : kOperators) {
    const Read read = row.read(semantics);
    gates.insert(read.gates.begin(), read.gates.end());
    warnings.insert(warnings.end(), read.warnings.begin(), read.warnings.end());
  }
  const auto is_gate = [&](const std::string& key) {
    return gates.count(key) > 0;
  };
  for (const std::string& key :
       UnreadKeys(semantics.feature_gates(), is_gate)) {
    report.Warn(Entry(path, "featureGates", key),
                absl::StrFormat("\"%s\" is no feature gate known to bear on "
                                "failures; it changes nothing",
                                key));
  }
  const auto is_setting = [](const std::string& key) {
    return AnyOperator([&](const OperatorRow& row) {
      return row.has_settings && key.substr(0, key.find('.')) == row.name &&
             key != row.name;
    });
  };
  for (const std::string& key : UnreadKeys(semantics.settings(), is_setting)) {
    report.Error(
        Entry(path, "settings", key),
        absl::StrFormat(
            "\"%s\" is no setting of an operator, expected OPERATOR.NAME with "
            "one of %s",
            key,
            NamesOf([](const OperatorRow& row) { return row.has_settings; })));
  }
  for (const std::string& warning : warnings) Relay(warning, path, report);
}

}  // namespace mulligan
