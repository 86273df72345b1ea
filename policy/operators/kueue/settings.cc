#include "policy/operators/kueue/settings.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace mulligan::kueue {
namespace {

constexpr std::string_view kBlock = "waitForPodsReady";
constexpr std::string_view kStrategy = "waitForPodsReady.requeuingStrategy";
constexpr std::string_view kPrefix = "kueue.";
constexpr std::string_view kNegative = "must be greater than or equal to 0";

template <typename Value>
void Default(std::optional<Value>& member, Value value) {
  if (!member.has_value()) member = std::move(value);
}

bool IsTimestamp(std::string_view text) {
  return text == "Eviction" || text == "Creation";
}

void CheckSettingDuration(std::string_view name,
                          const std::optional<absl::Duration>& duration,
                          FieldErrors& errors) {
  if (!duration.has_value() || *duration >= absl::ZeroDuration()) return;
  errors.push_back(InvalidError(ChildField(kBlock, name),
                                QuotedValue(absl::FormatDuration(*duration)),
                                std::string(kNegative)));
}

void CheckSettingCount(std::string_view name,
                       const std::optional<std::int64_t>& count,
                       FieldErrors& errors) {
  if (!count.has_value()) return;
  CheckNonNegative(ChildField(kStrategy, name), *count, errors);
}

// Reads one setting; false: not a value of that kind.
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

bool ReadBlockAdmission(const std::string& text, WaitForPodsReadyConfig& into) {
  into.block_admission = text == "true";
  return text == "true" || text == "false";
}

bool ReadTimestamp(const std::string& text, WaitForPodsReadyConfig& into) {
  into.timestamp = text;
  return true;
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
    {kBlock, "blockAdmission", ReadBlockAdmission, "true or false"},
    {kStrategy, "timestamp", ReadTimestamp, "Eviction or Creation"},
    {kStrategy, "backoffLimitCount", ReadCount<&Config::backoff_limit_count>,
     "a whole number"},
    {kStrategy, "backoffBaseSeconds", ReadCount<&Config::backoff_base_seconds>,
     "a whole number"},
    {kStrategy, "backoffMaxSeconds", ReadCount<&Config::backoff_max_seconds>,
     "a whole number"},
}};

const SettingRow* FindSetting(std::string_view path) {
  for (const SettingRow& row : kSettings) {
    if (path == ChildField(row.block, row.name)) return &row;
  }
  return nullptr;
}

void ReadSetting(const std::string& name, const std::string& text,
                 WaitForPodsReadyConfig& config, SettingsSetup& setup) {
  const std::string_view path = std::string_view(name).substr(kPrefix.size());
  if (path == "clusterQueue.stopPolicy") {
    setup.cluster_queue_stop_policy = text;
    return;
  }
  if (path == "localQueue.stopPolicy") {
    setup.local_queue_stop_policy = text;
    return;
  }
  const SettingRow* const row = FindSetting(path);
  if (row == nullptr) {
    setup.warnings.push_back(absl::StrFormat(
        "settings.%s: no setting of Kueue that decides about failures", name));
    return;
  }
  WaitForPodsReadyConfig candidate = config;
  if (!row->read(text, candidate)) {
    setup.warnings.push_back(
        absl::StrFormat("settings.%s: '%s' is not %s; the default is used",
                        name, text, row->expected));
    return;
  }
  WaitForPodsReadyConfig alone;
  row->read(text, alone);
  SetDefaults(alone);
  for (const FieldError& error : ValidateWaitForPodsReady(alone)) {
    if (error.field != path) continue;
    setup.warnings.push_back(
        absl::StrFormat("settings.%s%s; Kueue refuses to start with it, the "
                        "default is used",
                        kPrefix, FormatFieldError(error)));
    return;
  }
  config = std::move(candidate);
}

}  // namespace

void SetDefaults(WaitForPodsReadyConfig& config) {
  Default(config.timeout, absl::Minutes(30));
  Default(config.recovery_timeout, *config.timeout);
  Default(config.block_admission, false);
  Default(config.timestamp, std::string("Eviction"));
  Default<std::int64_t>(config.backoff_base_seconds, 60);
  Default<std::int64_t>(config.backoff_max_seconds, 3600);
}

FieldErrors ValidateWaitForPodsReady(const WaitForPodsReadyConfig& config) {
  FieldErrors errors;
  if (config.timeout.value_or(absl::ZeroDuration()) == absl::ZeroDuration()) {
    errors.push_back(
        RequiredError(ChildField(kBlock, "timeout"), "must be specified"));
  }
  CheckSettingDuration("timeout", config.timeout, errors);
  CheckSettingDuration("recoveryTimeout", config.recovery_timeout, errors);
  if (config.timestamp.has_value() && !IsTimestamp(*config.timestamp)) {
    errors.push_back(NotSupportedError(ChildField(kStrategy, "timestamp"),
                                       *config.timestamp,
                                       {"Creation", "Eviction"}));
  }
  CheckSettingCount("backoffLimitCount", config.backoff_limit_count, errors);
  CheckSettingCount("backoffBaseSeconds", config.backoff_base_seconds, errors);
  CheckSettingCount("backoffMaxSeconds", config.backoff_max_seconds, errors);
  return errors;
}

WaitForPodsReady Effective(WaitForPodsReadyConfig config) {
  SetDefaults(config);
  WaitForPodsReady effective;
  effective.timeout = *config.timeout;
  effective.recovery_timeout = config.recovery_timeout;
  if (config.recovery_timeout == absl::ZeroDuration()) {
    effective.recovery_timeout.reset();
  }
  effective.backoff_limit_count = config.backoff_limit_count;
  effective.backoff.base = absl::Seconds(*config.backoff_base_seconds);
  effective.backoff.cap = absl::Seconds(*config.backoff_max_seconds);
  return effective;
}

SettingsSetup SettingsFor(const v1::NativeSemantics& semantics) {
  SettingsSetup setup;
  WaitForPodsReadyConfig config;
  // Sorted, so that the warnings always come in the same order.
  const std::map<std::string, std::string> settings(
      semantics.settings().begin(), semantics.settings().end());
  for (const auto& [name, text] : settings) {
    if (name.starts_with(kPrefix)) ReadSetting(name, text, config, setup);
  }
  setup.wait_for_pods_ready = Effective(std::move(config));
  return setup;
}

}  // namespace mulligan::kueue
