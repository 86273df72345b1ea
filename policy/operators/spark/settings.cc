#include "policy/operators/spark/settings.h"

#include <array>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/release.h"

namespace mulligan::spark {
namespace {

constexpr int kDefaultMinor = 3;
constexpr int kLatestMinor = 5;
constexpr std::string_view kPrefix = "spark.";
constexpr std::string_view kGrace = "driver-pod-creation-grace-period";

constexpr std::array<FeatureRow<Settings>, 2> kFeatures = {{
    {&Settings::suspends, 4},
    {&Settings::keeps_submission_attempts, 5},
}};

}  // namespace

SettingsSetup SettingsFor(const v1::NativeSemantics& semantics) {
  SettingsSetup setup;
  const bool chosen = semantics.versions().count("spark") > 0;
  const int minor =
      chosen ? ChosenMinor(semantics, "spark", 2, kLatestMinor, setup.warnings)
             : kDefaultMinor;
  setup.semantics = absl::StrFormat("spark 2.%d", minor);
  SetRelease(kFeatures, minor, setup.settings);
  for (const auto& [name, value] : ByName(semantics.settings(), kPrefix)) {
    if (name.substr(kPrefix.size()) != kGrace) {
      setup.warnings.push_back(absl::StrFormat(
          "settings.%s: no flag of the operator that bears on failures", name));
    } else if (!absl::ParseDuration(value, &setup.settings.driver_grace)) {
      setup.settings.driver_grace = Settings().driver_grace;
      setup.warnings.push_back(absl::StrFormat(
          "settings.%s: \"%s\" is no duration, the default is used", name,
          value));
    }
  }
  return setup;
}

}  // namespace mulligan::spark
