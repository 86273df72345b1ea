#include "client/conformance/kueue_settings_cases.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/kueue_input.h"
#include "policy/native/kueue_settings.h"

namespace mulligan::conformance {
namespace {

// Names like "<T>" in place of durations, and what stands for them here.
using Placeholders = std::map<std::int64_t, std::string>;

Json WithoutPlaceholders(Json block, Placeholders& placeholders) {
  constexpr std::int64_t kFirst = 4242;
  for (auto& [name, value] : block.items()) {
    if (!value.is_string()) continue;
    const std::string text = value.get<std::string>();
    if (text.size() < 3 || text.front() != '<' || text.back() != '>') continue;
    std::int64_t seconds =
        kFirst + static_cast<std::int64_t>(placeholders.size());
    for (const auto& [known, placeholder] : placeholders) {
      if (placeholder == text) seconds = known;
    }
    placeholders[seconds] = text;
    value = seconds;
  }
  return block;
}

// A duration as it is written, as a number, and in the spellings of Go.
Json DurationJson(absl::Duration duration, const Json& written,
                  const Placeholders& placeholders) {
  const std::int64_t seconds = absl::ToInt64Seconds(duration);
  const auto placeholder = placeholders.find(seconds);
  if (placeholder != placeholders.end()) return placeholder->second;
  const std::string text = absl::FormatDuration(duration);
  return Described({text, absl::StrCat(text, "0s"), absl::StrCat(text, "0m0s"),
                    absl::StrCat(seconds, "s"), seconds, written});
}

}  // namespace

absl::StatusOr<Json> KueueValidationFacts(const CaseInput& input) {
  const Json block = KueueMember(input.input, "waitForPodsReady");
  const auto config = KueueConfig(block);
  if (!config.ok()) return config.status();
  FieldErrors found;
  if (!block.is_null()) found = kueue::ValidateWaitForPodsReady(*config);
  Json errors = Json::array();
  for (const FieldError& error : found) {
    const bool required = error.type == FieldError::Type::kRequired;
    const bool unsupported = error.type == FieldError::Type::kNotSupported;
    errors.push_back({{"type", required      ? "Required"
                               : unsupported ? "NotSupported"
                                             : "Invalid"},
                      {"field", error.field},
                      {"message", FormatFieldError(error)}});
  }
  return Json{{"valid", found.empty()}, {"errors", std::move(errors)}};
}

absl::StatusOr<Json> KueueDefaultingFacts(const CaseInput& input) {
  Json block = KueueMember(input.input, "waitForPodsReady");
  if (block.is_null()) block = Json::object();
  Placeholders placeholders;
  auto config = KueueConfig(WithoutPlaceholders(block, placeholders));
  if (!config.ok()) return config.status();
  kueue::SetDefaults(*config);
  const auto duration = [&](const char* name, absl::Duration value) {
    return DurationJson(value, KueueMember(block, name), placeholders);
  };
  Json strategy = {
      {"timestamp", *config->timestamp},
      {"backoffBaseSeconds", *config->backoff_base_seconds},
      {"backoffMaxSeconds", *config->backoff_max_seconds},
      {"backoffLimitCount", config->backoff_limit_count.has_value()
                                ? Json(*config->backoff_limit_count)
                                : Json()}};
  return Json{{"waitForPodsReady",
               {{"timeout", duration("timeout", *config->timeout)},
                {"recoveryTimeout",
                 duration("recoveryTimeout", *config->recovery_timeout)},
                {"blockAdmission", *config->block_admission},
                {"requeuingStrategy", std::move(strategy)}}}};
}

}  // namespace mulligan::conformance
