#include "client/fallback.h"

#include <string>

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
  if (status.code() == absl::StatusCode::kResourceExhausted &&
      !RetryDelay(status).has_value()) {
    return Fallback::kNativePolicy;
  }
  return FallbackFor(status.code());
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
