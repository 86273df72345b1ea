#include "policy/native/rayjob/settings.h"

#include <array>

#include "absl/strings/str_format.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"

namespace mulligan::rayjob {
namespace {

constexpr std::string_view kSettingPrefix = "kuberay.";

constexpr std::array<SwitchRow<Settings>, 9> kSwitches = {{
    {"RayJobDeletionPolicy", &Settings::deletion_policy, 6},
    {"SidecarSubmitterRestart", &Settings::sidecar_submitter_restart},
    {"", &Settings::backoff_limit, 2},
    {"", &Settings::transition_grace_period, 4},
    {"", &Settings::submitter_finished_timeout, 5},
    {"", &Settings::validation_failed, 5},
    {"", &Settings::selected_never_retry, 6},
    {"", &Settings::pre_running_deadline, 6},
    {"", &Settings::status_check_timeout, 7},
}};

// Known, but without effect on the outcome of a failure.
constexpr std::array<std::string_view, 2> kCleanUpSwitches = {
    "DELETE_RAYJOB_CR_AFTER_JOB_FINISHES", "ENABLE_RANDOM_POD_DELETE"};

struct SecondsRow {
  std::string_view name;
  std::int64_t Settings::*setting;
  // Smaller numbers are ignored.
  std::int64_t at_least;
};

constexpr std::array<SecondsRow, 2> kSeconds = {{
    {"RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS",
     &Settings::transition_grace_period_seconds, INT64_MIN},
    {"RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS",
     &Settings::status_check_timeout_seconds, 1},
}};

// Sets an environment variable as the operator reads it: an invalid number
// leaves the default. Returns false for a variable that is unknown or has no
// effect here.
bool SetEnvironment(std::string_view name, std::string_view value,
                    Settings& settings) {
  for (const SecondsRow& row : kSeconds) {
    if (row.name != name) continue;
    const auto number = GoInteger(value);
    if (number.has_value() && *number >= row.at_least) {
      settings.*row.setting = *number;
    }
    return true;
  }
  return HasText(kCleanUpSwitches, name);
}

}  // namespace

Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics) {
  auto setup = SetUpBy(semantics, {"kuberay", 1, 7, 7}, kSwitches);
  for (const auto& [name, value] :
       ByName(semantics.settings(), kSettingPrefix)) {
    if (!SetEnvironment(name.substr(kSettingPrefix.size()), value,
                        setup.settings)) {
      setup.warnings.push_back(absl::StrFormat(
          "settings.%s: no variable of the operator that bears on failures",
          name));
    }
  }
  return setup;
}

}  // namespace mulligan::rayjob
