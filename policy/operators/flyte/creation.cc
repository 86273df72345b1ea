#include "policy/operators/flyte/creation.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "policy/operators/flyte/quota.h"

namespace mulligan::flyte {
namespace {

using v1::CreationError;

// Reasons that client-go takes at their word, whatever the code.
constexpr std::array<std::string_view, 18> kKnownReasons = {
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "Gone",
    "Invalid",
    "ServerTimeout",
    "Timeout",
    "TooManyRequests",
    "BadRequest",
    "MethodNotAllowed",
    "NotAcceptable",
    "RequestEntityTooLarge",
    "UnsupportedMediaType",
    "InternalError",
    "Expired",
    "ServiceUnavailable"};

// As apimachinery's api/errors tells errors apart: a reason goes before the
// code.
bool Is(const CreationError& error, std::string_view reason, int code) {
  if (error.reason() == reason) return true;
  const bool known = std::find(kKnownReasons.begin(), kKnownReasons.end(),
                               error.reason()) != kKnownReasons.end();
  return !known && error.http_code() == code;
}

bool IsForbidden(const CreationError& error) {
  return Is(error, "Forbidden", 403);
}

// backoff.IsResourceQuotaExceeded.
bool IsOverQuota(const CreationError& error) {
  return IsForbidden(error) &&
         absl::StrContains(error.message(), "exceeded quota");
}

// backoff.IsBackOffError: errors that wait instead of failing.
bool IsBackOffError(const CreationError& error) {
  return IsOverQuota(error) || error.reason() == "TooManyRequests" ||
         error.http_code() == 429 || error.reason() == "ServerTimeout" ||
         (IsForbidden(error) &&
          absl::StrContains(error.message(), "etcdserver:"));
}

// The message, or the best there is instead. Never empty.
std::string TextOf(const CreationError& error) {
  if (!error.message().empty()) return error.message();
  if (!error.reason().empty()) return error.reason();
  return absl::StrCat("HTTP status ", error.http_code());
}

PhaseInfo UserPermanent(const char* code, const CreationError& error) {
  return PermanentFailure(code, TextOf(error));
}

PhaseResult BuildFailure(const CreationError& error, bool v2) {
  if (!v2) return PermanentFailure("FailedToBuildResource", error.message());
  if (error.reason() == "BadTaskSpecification" ||
      error.reason() == "MetadataTooLarge") {
    return PermanentFailure(error.reason(), error.message());
  }
  return absl::UnknownError(error.message());
}

// Whether v1 waits until there is quota.
bool AwaitsQuota(const CreationError& error, bool is_pod,
                 const Settings& settings) {
  if (!settings.quota_backoff) return IsOverQuota(error);
  return is_pod && settings.backoff_base_seconds != 0 && IsBackOffError(error);
}

}  // namespace

PhaseResult CreationPhase(const CreationError& error, bool is_pod,
                          const Settings& settings) {
  const bool v2 = settings.rules.v2;
  if (error.phase() == CreationError::BUILD) return BuildFailure(error, v2);
  if (error.reason() == "AlreadyExists") {
    return InPhase(Phase::kQueued, "task submitted to K8s");
  }
  if (!v2 && IsOverQuota(error) && IsBeyondQuota(error.message())) {
    return PermanentFailure(
        "ResourceRequestsExceedLimits",
        absl::StrCat("requested resources exceed limits: ", TextOf(error)));
  }
  if (!v2 && AwaitsQuota(error, is_pod, settings)) {
    return InPhase(Phase::kWaitingForResources,
                   absl::StrCat("Exceeded resourcequota: ", TextOf(error)));
  }
  if (IsForbidden(error)) {
    return RetryableFailure(ErrorKind::kUser, "RuntimeFailure", TextOf(error));
  }
  if (v2 || settings.rules.refusal_is_permanent) {
    if (Is(error, "BadRequest", 400)) {
      return UserPermanent(v2 ? "BadRequest" : "BadTaskFormat", error);
    }
    if (Is(error, "Invalid", 422)) {
      return UserPermanent(v2 ? "InvalidResource" : "BadTaskFormat", error);
    }
  }
  if (Is(error, "RequestEntityTooLarge", 413)) {
    return UserPermanent("EntityTooLarge", error);
  }
  return absl::UnknownError(
      absl::StrCat("failed to create resource: ", TextOf(error)));
}

}  // namespace mulligan::flyte
