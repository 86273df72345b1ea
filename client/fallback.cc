#include "client/fallback.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace mulligan {

Fallback FallbackFor(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return Fallback::kNone;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:
      return Fallback::kRetryLater;
    default:
      return Fallback::kNativePolicy;
  }
}

Fallback FallbackFor(const absl::Status& status) {
  if (absl::IsResourceExhausted(status) && !IsOverload(status)) {
    return Fallback::kNativePolicy;
  }
  return FallbackFor(status.code());
}

bool IsOverload(const absl::Status& status) {
  // HTTP/2's ENHANCE_YOUR_CALM is number 11, which gRPC reports only in this
  // text.
  return RetryDelay(status).has_value() ||
         (absl::IsResourceExhausted(status) &&
          absl::StrContains(absl::string_view(status.message()),
                            "RST_STREAM with error code 11"));
}

v1::Decision DecideWithoutAnswer(const FallbackRule& rule,
                                 absl::Duration since_failure,
                                 const absl::Status& status) {
  const bool patient = FallbackFor(status) == Fallback::kRetryLater &&
                       since_failure < rule.patience;
  const std::string cause = absl::StrFormat(
      "Mulligan had no answer (%s: %s)",
      absl::StatusCodeToString(status.code()), std::string(status.message()));
  std::optional<v1::Decision> native;
  if (rule.native && !patient) native = rule.native();
  if (native.has_value()) {
    if (native->sentence().empty()) {
      native->set_sentence(absl::StrCat(
          cause, ": decided by the operator's own rule; nothing was charged."));
    }
    return *std::move(native);
  }
  const absl::Duration wait =
      std::max(rule.wait, RetryDelay(status).value_or(absl::ZeroDuration()));
  v1::Decision decision;
  decision.set_action(v1::Decision::WAIT);
  absl::Duration rest;
  decision.mutable_retry_after()->set_seconds(
      absl::IDivDuration(wait, absl::Seconds(1), &rest));
  decision.mutable_retry_after()->set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(rest)));
  decision.set_sentence(absl::StrFormat(
      "%s: nothing is started or given up, asked again in %s; nothing was "
      "charged.",
      cause, absl::FormatDuration(wait)));
  return decision;
}

std::string_view FallbackName(Fallback fallback) {
  switch (fallback) {
    case Fallback::kNone:
      return "none";
    case Fallback::kRetryLater:
      return "retry later";
    case Fallback::kNativePolicy:
      return "native policy";
  }
  return "native policy";
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto payload = status.GetPayload(kStatusDetailsUrl);
  google::rpc::Status details;
  if (!payload.has_value() || !details.ParseFromString(std::string(*payload))) {
    return std::nullopt;
  }
  for (const auto& detail : details.details()) {
    google::rpc::RetryInfo info;
    if (detail.UnpackTo(&info) && info.has_retry_delay()) {
      return absl::Seconds(info.retry_delay().seconds()) +
             absl::Nanoseconds(info.retry_delay().nanos());
    }
  }
  return std::nullopt;
}

}  // namespace mulligan
