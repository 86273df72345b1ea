#include "policy/native/flyte/settings.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/native/objects.h"

namespace mulligan::flyte {
namespace {

// Major, minor, patch; comparable.
using Release = std::array<int, 3>;

constexpr Release kNever = {99, 0, 0};
constexpr Release kAlways = {0, 0, 0};
// The releases that the rules below follow.
constexpr Release kNewestV1 = {1, 16, 99};
constexpr Release kNewestV2 = {2, 0, 43};

struct RuleRow {
  bool Rules::*rule;
  // First release of 1.x and of 2.x with the rule.
  Release since_v1;
  Release since_v2;
};

constexpr std::array<RuleRow, 11> kRules = {{
    {&Rules::v2, kNever, kAlways},
    {&Rules::unexplained_is_system, {1, 15, 1}, kAlways},
    {&Rules::node_reasons_are_system, {1, 16, 0}, kAlways},
    {&Rules::sole_exit_is_user, kNever, {2, 0, 44}},
    {&Rules::judges_unknown_pods, {1, 16, 2}, kNever},
    {&Rules::awaits_init_containers, {1, 16, 0}, kAlways},
    {&Rules::suspended_is_not_overdue, {1, 15, 2}, kNever},
    {&Rules::suspended_is_queued, {1, 16, 6}, kNever},
    // In the recorded answers of v1's branch, but not in its releases.
    {&Rules::mpi_has_own_messages, {1, 16, 8}, kAlways},
    {&Rules::ray_failure_is_system, {1, 16, 6}, kNever},
    {&Rules::refusal_is_permanent, {1, 16, 7}, kAlways},
}};

constexpr std::array<SwitchRow<Rules>, 3> kGates = {{
    {"flyte.pull-7899", &Rules::sole_exit_is_user},
    {"flyte.system-codes", &Rules::keeps_system_code},
    {"flyte.gpu-faults", &Rules::gpu_faults},
}};

// The only number that may be negative.
constexpr std::string_view kThreshold = "interruptible-failure-threshold";
constexpr std::int64_t kMaxNumber = 1'000'000'000;

// A setting by Flyte's name: a duration, number or switch.
struct SettingRow {
  std::string_view name;
  std::variant<absl::Duration Settings::*, std::int64_t Settings::*,
               bool Settings::*>
      member;
};
constexpr std::array<SettingRow, 17> kSettings = {{
    {"create-container-error-grace-period",
     &Settings::create_container_error_grace_period},
    {"create-container-config-error-grace-period",
     &Settings::create_container_config_error_grace_period},
    {"image-pull-backoff-grace-period",
     &Settings::image_pull_backoff_grace_period},
    {"pod-pending-timeout", &Settings::pod_pending_timeout},
    {"kf-operator.timeout", &Settings::operator_timeout},
    {"node-active-deadline", &Settings::node_active_deadline},
    {"node-execution-deadline", &Settings::node_execution_deadline},
    {"backoff.max-duration", &Settings::backoff_max_duration},
    {"default-max-attempts", &Settings::default_max_attempts},
    {"max-node-retries-system-failures",
     &Settings::max_node_retries_system_failures},
    {kThreshold, &Settings::interruptible_failure_threshold},
    {"backoff.base-second", &Settings::backoff_base_seconds},
    {"max-workflow-retries", &Settings::max_workflow_retries},
    {"max-system-failures", &Settings::max_system_failures},
    {"retries", &Settings::retries},
    {"ignore-retry-cause", &Settings::ignore_retry_cause},
    {"quota-backoff", &Settings::quota_backoff},
}};

Rules RulesAt(const Release& release) {
  Rules rules;
  for (const RuleRow& row : kRules) {
    rules.*row.rule =
        release >= (release[0] >= 2 ? row.since_v2 : row.since_v1);
  }
  return rules;
}

// Parses "v1", "1.16" or "v2.0.43". Omitted parts mean the newest.
std::optional<Release> ReleaseOf(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), '.');
  if (parts.size() > 3) return std::nullopt;
  Release release = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!absl::SimpleAtoi(parts[i], &release[i]) || release[i] < 0) {
      return std::nullopt;
    }
  }
  if (release[0] != 1 && release[0] != 2) return std::nullopt;
  const Release& newest = release[0] == 1 ? kNewestV1 : kNewestV2;
  if (parts.size() == 1) return newest;
  if (parts.size() == 2) {
    release[2] = release[1] == newest[1] ? newest[2] : 0;
  }
  return release;
}

std::string Printed(const Release& release) {
  if (release == kNewestV1) return "flyte v1 1.16";
  return absl::StrFormat("flyte v%d %d.%d.%d", release[0], release[0],
                         release[1], release[2]);
}

// Returns the expected form of an invalid value; empty if it was stored.
std::string_view Take(const std::string& value, const SettingRow& /*row*/,
                      absl::Duration& into) {
  absl::Duration duration;
  if (!absl::ParseDuration(value, &duration) ||
      duration < absl::ZeroDuration()) {
    return "a duration like 3m that is not negative";
  }
  into = duration;
  return "";
}
std::string_view Take(const std::string& value, const SettingRow& row,
                      std::int64_t& into) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number > kMaxNumber ||
      number < (row.name == kThreshold ? -kMaxNumber : 0)) {
    return "a whole number in range";
  }
  into = number;
  return "";
}
std::string_view Take(const std::string& value, const SettingRow& /*row*/,
                      bool& into) {
  return absl::SimpleAtob(value, &into) ? "" : "true or false";
}

std::string_view Set(std::string_view name, const std::string& value,
                     Settings& settings) {
  for (const SettingRow& row : kSettings) {
    if (row.name != name) continue;
    return std::visit(
        [&](auto member) { return Take(value, row, settings.*member); },
        row.member);
  }
  return "a setting Flyte has";
}

Release ReleaseFor(const v1::NativeSemantics& semantics,
                   std::vector<std::string>& warnings) {
  const auto* const version = FindValue(semantics.versions(), "flyte");
  if (version == nullptr) return kNewestV1;
  const std::optional<Release> release = ReleaseOf(*version);
  if (!release.has_value()) {
    warnings.push_back(
        absl::StrFormat("versions.flyte: '%s' is no release like v1, v2 or "
                        "1.16.6; the semantics of v1 are used",
                        *version));
    return kNewestV1;
  }
  const Release& newest = (*release)[0] == 1 ? kNewestV1 : kNewestV2;
  if (*release > newest) {
    warnings.push_back(
        absl::StrFormat("versions.flyte: %s is newer than what is known; the "
                        "newest known rules are used",
                        *version));
  }
  return *release;
}

}  // namespace

Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics) {
  constexpr std::string_view kPrefix = "flyte.";
  Setup<Settings> setup;
  const Release release = ReleaseFor(semantics, setup.warnings);
  setup.semantics = Printed(release);
  setup.settings.rules = RulesAt(release);
  SetGates(kGates, semantics, setup.settings.rules, setup.gates);
  for (const auto& [name, enabled] :
       ByName(semantics.feature_gates(), kPrefix)) {
    if (HasText(setup.gates, name)) continue;
    setup.warnings.push_back(
        absl::StrFormat("featureGates.%s: not known, passed over", name));
  }
  for (const auto& [name, value] : ByName(semantics.settings(), kPrefix)) {
    const std::string_view expected =
        Set(name.substr(kPrefix.size()), value, setup.settings);
    if (expected.empty()) continue;
    setup.warnings.push_back(absl::StrFormat(
        "settings.%s: '%s' is not %s, passed over", name, value, expected));
  }
  return setup;
}

}  // namespace mulligan::flyte
