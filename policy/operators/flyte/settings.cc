#include "policy/operators/flyte/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "policy/operators/release.h"

namespace mulligan::flyte {
namespace {

// Major, minor, patch; compares as releases do.
using Release = std::array<int, 3>;

constexpr Release kNever = {99, 0, 0};
constexpr Release kAlways = {0, 0, 0};
// What the rules below were read from.
constexpr Release kNewestV1 = {1, 16, 99};
constexpr Release kNewestV2 = {2, 0, 43};

struct RuleRow {
  bool Rules::*rule;
  // First release of line 1 and of line 2 with the rule.
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
    {&Rules::mpi_has_own_words, {1, 16, 8}, kAlways},
    {&Rules::ray_failure_is_system, {1, 16, 6}, kNever},
    {&Rules::refusal_is_permanent, {1, 16, 7}, kAlways},
}};

constexpr std::array<GateRow<Rules>, 3> kGates = {{
    {"flyte.pull-7899", &Rules::sole_exit_is_user},
    {"flyte.system-codes", &Rules::keeps_system_code},
    {"flyte.gpu-faults", &Rules::gpu_faults},
}};

struct DurationRow {
  std::string_view name;
  absl::Duration Settings::*member;
};
constexpr std::array<DurationRow, 8> kDurations = {{
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
}};

struct NumberRow {
  std::string_view name;
  std::int64_t Settings::*member;
  std::int64_t least;
};
constexpr std::int64_t kAnyThreshold = -1'000'000'000;
constexpr std::int64_t kMost = 1'000'000'000;
constexpr std::array<NumberRow, 7> kNumbers = {{
    {"default-max-attempts", &Settings::default_max_attempts, 0},
    {"max-node-retries-system-failures",
     &Settings::max_node_retries_system_failures, 0},
    {"interruptible-failure-threshold",
     &Settings::interruptible_failure_threshold, kAnyThreshold},
    {"backoff.base-second", &Settings::backoff_base_seconds, 0},
    {"max-workflow-retries", &Settings::max_workflow_retries, 0},
    {"max-system-failures", &Settings::max_system_failures, 0},
    {"retries", &Settings::retries, 0},
}};

struct SwitchRow {
  std::string_view name;
  bool Settings::*member;
};
constexpr std::array<SwitchRow, 2> kSwitches = {{
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

// "v1", "1.16", "v2.0.43". A part left out is the newest.
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

// What a value should have been; empty: it was taken.
std::string_view Set(std::string_view name, const std::string& value,
                     Settings& settings) {
  for (const DurationRow& row : kDurations) {
    absl::Duration duration;
    if (row.name != name) continue;
    if (!absl::ParseDuration(value, &duration) ||
        duration < absl::ZeroDuration()) {
      return "a duration like 3m that is not negative";
    }
    settings.*row.member = duration;
    return "";
  }
  for (const NumberRow& row : kNumbers) {
    std::int64_t number = 0;
    if (row.name != name) continue;
    if (!absl::SimpleAtoi(value, &number) || number < row.least ||
        number > kMost) {
      return "a whole number in range";
    }
    settings.*row.member = number;
    return "";
  }
  for (const SwitchRow& row : kSwitches) {
    if (row.name == name) {
      return absl::SimpleAtob(value, &(settings.*row.member)) ? ""
                                                              : "true or false";
    }
  }
  return "a setting Flyte has";
}

Release ReleaseFor(const v1::NativeSemantics& semantics,
                   std::vector<std::string>& warnings) {
  const auto version = semantics.versions().find("flyte");
  if (version == semantics.versions().end()) return kNewestV1;
  const std::optional<Release> release = ReleaseOf(version->second);
  if (!release.has_value()) {
    warnings.push_back(absl::StrFormat(
        "versions.flyte: '%s' is no release like v1, v2 or 1.16.6; the "
        "semantics of v1 are used",
        version->second));
    return kNewestV1;
  }
  const Release& newest = (*release)[0] == 1 ? kNewestV1 : kNewestV2;
  if (*release > newest) {
    warnings.push_back(
        absl::StrFormat("versions.flyte: %s is newer than what is known; the "
                        "newest known rules are used",
                        version->second));
  }
  return *release;
}

}  // namespace

bool SetGate(std::string_view name, bool enabled, Rules& rules) {
  return SetGateIn(kGates, name, enabled, rules);
}

SettingsSetup SettingsFor(const v1::NativeSemantics& semantics) {
  constexpr std::string_view kPrefix = "flyte.";
  SettingsSetup setup;
  const Release release = ReleaseFor(semantics, setup.warnings);
  setup.semantics = Printed(release);
  setup.settings.rules = RulesAt(release);
  for (const auto& [name, enabled] : semantics.feature_gates()) {
    if (SetGate(name, enabled, setup.settings.rules) ||
        !name.starts_with(kPrefix)) {
      continue;
    }
    setup.warnings.push_back(
        absl::StrFormat("featureGates.%s: not known, passed over", name));
  }
  for (const auto& [name, value] : semantics.settings()) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string_view expected = Set(
        std::string_view(name).substr(kPrefix.size()), value, setup.settings);
    if (expected.empty()) continue;
    setup.warnings.push_back(absl::StrFormat(
        "settings.%s: '%s' is not %s, passed over", name, value, expected));
  }
  return setup;
}

}  // namespace mulligan::flyte
