#include "policy/native/kueue/settings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/native/objects.h"

namespace mulligan::kueue {
namespace {

constexpr std::array<SwitchRow<Gates>, 8> kSwitches = {{
    {"SkipReassignmentForPodOwnedWorkloads", &Gates::skip_pod_owned_workloads,
     19},
    {"DisableWaitForPodsReady", &Gates::disable_wait_for_pods_ready},
    {"UnadmittedWorkloadsObservability", &Gates::unadmitted_observability},
    {"TASReplaceNodeOnPodTermination", &Gates::replace_node_on_pod_termination,
     0},
    {"TASReplaceNodeOnNodeTaints", &Gates::replace_node_on_taints, 0},
    {"TASReplaceNodeDueToNotReadyOverFixedTime",
     &Gates::replace_node_after_fixed_time},
    {"TASFailedNodeReplacementFailFast", &Gates::fail_fast_without_replacement,
     0},
    {"", &Gates::reactivates_own_deactivations, 20},
}};

constexpr std::string_view kBlock = "waitForPodsReady";
constexpr std::string_view kStrategy = "waitForPodsReady.requeuingStrategy";
constexpr std::string_view kPrefix = "kueue.";

constexpr absl::Duration kDefaultTimeout = absl::Minutes(30);

void CheckSettingDuration(std::string_view name,
                          const std::optional<absl::Duration>& duration,
                          FieldErrors& errors) {
  if (!duration.has_value() || *duration >= absl::ZeroDuration()) return;
  errors.Invalid(ChildField(kBlock, name),
                 QuotedValue(absl::FormatDuration(*duration)),
                 "must be greater than or equal to 0");
}

void CheckSettingCount(std::string_view name,
                       const std::optional<std::int64_t>& count,
                       FieldErrors& errors) {
  CheckNonNegative(ChildField(kStrategy, name), count.value_or(0), errors);
}

// Parses one setting. Returns false for an invalid value.
using Reader = bool (*)(const std::string& text, WaitForPodsReadyConfig& into);

template <auto Member>
bool ReadSettingDuration(const std::string& text,
                         WaitForPodsReadyConfig& into) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration)) return false;
  into.*Member = duration;
  return true;
}

template <auto Member>
bool ReadCount(const std::string& text, WaitForPodsReadyConfig& into) {
  std::int32_t count = 0;
  if (!absl::SimpleAtoi(text, &count)) return false;
  into.*Member = count;
  return true;
}

bool ReadTimestamp(const std::string& text, WaitForPodsReadyConfig& into) {
  into.timestamp = text;
  return true;
}

// Has no effect on failures.
bool IsFlag(const std::string& text, WaitForPodsReadyConfig&) {
  return text == "true" || text == "false";
}

struct SettingRow {
  std::string_view block;
  std::string_view name;
  Reader read;
  std::string_view expected;
};

using Config = WaitForPodsReadyConfig;
constexpr std::array<SettingRow, 7> kSettings = {{
    {kBlock, "timeout", ReadSettingDuration<&Config::timeout>,
     "a duration like 5m"},
    {kBlock, "recoveryTimeout", ReadSettingDuration<&Config::recovery_timeout>,
     "a duration like 5m"},
    {kBlock, "blockAdmission", IsFlag, "true or false"},
    {kStrategy, "timestamp", ReadTimestamp, "Eviction or Creation"},
    {kStrategy, "backoffLimitCount", ReadCount<&Config::backoff_limit_count>,
     "a whole number"},
    {kStrategy, "backoffBaseSeconds", ReadCount<&Config::backoff_base_seconds>,
     "a whole number"},
    {kStrategy, "backoffMaxSeconds", ReadCount<&Config::backoff_max_seconds>,
     "a whole number"},
}};

// Reads setting `name` of waitForPodsReady into `config`. Returns a warning if
// it is not used, else an empty string.
std::string ReadSetting(std::string_view name, const std::string& text,
                        WaitForPodsReadyConfig& config) {
  const std::string_view path = name.substr(kPrefix.size());
  const auto* const row = FindIn(kSettings, [&](const SettingRow& known) {
    return path == ChildField(known.block, known.name);
  });
  if (row == nullptr) {
    return absl::StrFormat(
        "settings.%s: no setting of Kueue that decides about failures", name);
  }
  WaitForPodsReadyConfig candidate = config;
  if (!row->read(text, candidate)) {
    return absl::StrFormat("settings.%s: '%s' is not %s; the default is used",
                           name, text, row->expected);
  }
  for (const FieldError& error : ValidateWaitForPodsReady(candidate)) {
    if (error.field != path) continue;
    return absl::StrFormat(
        "settings.%s%s; Kueue refuses to start with it, the default is used",
        kPrefix, FormatFieldError(error));
  }
  config = std::move(candidate);
  return "";
}

}  // namespace

absl::Duration EffectiveCap(const Backoff& backoff) {
  if (backoff.cap > absl::ZeroDuration()) return backoff.cap;
  return absl::Nanoseconds(std::numeric_limits<std::int64_t>::max() /
                           kBackoffFactor);
}

absl::Duration WaitBefore(std::int64_t n, const Backoff& backoff) {
  if (n <= 0) return absl::ZeroDuration();
  const absl::Duration cap = EffectiveCap(backoff);
  absl::Duration wait = std::max(backoff.base, absl::ZeroDuration());
  for (std::int64_t tried = 1;
       tried < n && wait > absl::ZeroDuration() && wait != cap; ++tried) {
    wait = std::min(cap, wait * kBackoffFactor);
  }
  return wait;
}

FieldErrors ValidateWaitForPodsReady(const WaitForPodsReadyConfig& config) {
  FieldErrors errors;
  if (config.timeout == absl::ZeroDuration()) {
    errors.Required(ChildField(kBlock, "timeout"), "must be specified");
  }
  CheckSettingDuration("timeout", config.timeout, errors);
  // Defaults to the timeout.
  CheckSettingDuration("recoveryTimeout",
                       config.recovery_timeout.has_value()
                           ? config.recovery_timeout
                           : config.timeout,
                       errors);
  const std::string timestamp = config.timestamp.value_or("Eviction");
  if (timestamp != "Eviction" && timestamp != "Creation") {
    errors.NotSupported(ChildField(kStrategy, "timestamp"), timestamp,
                        {"Creation", "Eviction"});
  }
  CheckSettingCount("backoffLimitCount", config.backoff_limit_count, errors);
  CheckSettingCount("backoffBaseSeconds", config.backoff_base_seconds, errors);
  CheckSettingCount("backoffMaxSeconds", config.backoff_max_seconds, errors);
  return errors;
}

WaitForPodsReady Effective(const WaitForPodsReadyConfig& config) {
  WaitForPodsReady effective;
  effective.timeout = config.timeout.value_or(kDefaultTimeout);
  effective.recovery_timeout =
      config.recovery_timeout.value_or(effective.timeout);
  if (effective.recovery_timeout == absl::ZeroDuration()) {
    effective.recovery_timeout.reset();
  }
  effective.backoff_limit_count = config.backoff_limit_count;
  effective.backoff = {
      absl::Seconds(config.backoff_base_seconds.value_or(60)),
      absl::Seconds(config.backoff_max_seconds.value_or(3600))};
  return effective;
}

Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics) {
  // The release implemented, and the newest one with a known change.
  const Setup<Gates> release =
      SetUpBy(semantics, {"kueue", 0, 19, 20}, kSwitches);
  Setup<Settings> setup = {
      {}, release.semantics, release.warnings, release.gates};
  Settings& settings = setup.settings;
  settings.gates = release.settings;
  WaitForPodsReadyConfig config;
  for (const auto& [name, text] : ByName(semantics.settings(), kPrefix)) {
    if (name == "kueue.clusterQueue.stopPolicy") {
      settings.cluster_queue_stop_policy = text;
    } else if (name == "kueue.localQueue.stopPolicy") {
      settings.local_queue_stop_policy = text;
    } else if (std::string why = ReadSetting(name, text, config);
               !why.empty()) {
      setup.warnings.push_back(std::move(why));
    }
  }
  settings.wait_for_pods_ready = Effective(config);
  return setup;
}

}  // namespace mulligan::kueue
