#include "policy/operators/flyte/launch.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/operators/flyte/quota.h"
#include "policy/operators/flyte/v2_budget.h"

namespace mulligan::flyte {
namespace {

absl::Status Returned(const ApiError& error) {
  return absl::UnknownError(
      absl::StrCat("failed to create resource: ", TextOf(error)));
}

PhaseInfo UserPermanent(std::string_view code, const ApiError& error) {
  return PermanentFailure(ErrorKind::kUser, std::string(code), TextOf(error));
}

PhaseInfo RuntimeFailure(const ApiError& error) {
  return RetryableFailure(ErrorKind::kUser, "RuntimeFailure", TextOf(error));
}

PhaseInfo Submitted() {
  return InPhase(Phase::kQueued, "task submitted to K8s");
}

PhaseResult LaunchPhaseV1(const ApiError& error, bool is_pod,
                          const Settings& settings) {
  const bool over_quota = IsResourceQuotaExceeded(error);
  if (over_quota && !AreRequestsEligible(error)) {
    return PermanentFailure(
        ErrorKind::kUser, "ResourceRequestsExceedLimits",
        absl::StrCat("requested resources exceed limits: ", TextOf(error)));
  }
  const bool guarded =
      settings.quota_backoff && is_pod && settings.backoff_base_seconds != 0;
  if ((guarded && IsBackOffError(error)) ||
      (!settings.quota_backoff && over_quota)) {
    return InPhase(Phase::kWaitingForResources,
                   absl::StrCat("Exceeded resourcequota: ", TextOf(error)));
  }
  if (IsForbidden(error)) return RuntimeFailure(error);
  if ((IsBadRequest(error) || IsInvalid(error)) &&
      settings.rules.refusal_is_permanent) {
    return UserPermanent("BadTaskFormat", error);
  }
  if (IsEntityTooLarge(error)) return UserPermanent("EntityTooLarge", error);
  return Returned(error);
}

PhaseResult LaunchPhaseV2(const ApiError& error) {
  if (IsForbidden(error)) return RuntimeFailure(error);
  if (IsBadRequest(error)) return UserPermanent("BadRequest", error);
  if (IsInvalid(error)) return UserPermanent("InvalidResource", error);
  if (IsEntityTooLarge(error)) return UserPermanent("EntityTooLarge", error);
  return Returned(error);
}

constexpr std::string_view kCorruptedPluginState = "CorruptedPluginState";

}  // namespace

PhaseResult LaunchPhase(const std::optional<ApiError>& error, bool is_pod,
                        const Settings& settings) {
  if (!error.has_value() || IsAlreadyExists(*error)) return Submitted();
  return settings.rules.v2 ? LaunchPhaseV2(*error)
                           : LaunchPhaseV1(*error, is_pod, settings);
}

PhaseResult BuildFailurePhase(std::string_view code, std::string_view message,
                              const Settings& settings) {
  if (!settings.rules.v2) {
    return PermanentFailure(ErrorKind::kUser, "FailedToBuildResource",
                            std::string(message));
  }
  if (IsNonRetryableCode(code)) {
    return PermanentFailure(ErrorKind::kUser, std::string(code),
                            std::string(message));
  }
  return absl::UnknownError(std::string(message));
}

PhaseResult ObservedPhase(const ObservedObject& object, const Rules& rules) {
  if (object.lookup_error.has_value()) {
    const ApiError& error = *object.lookup_error;
    if (!IsObjectGone(error)) return absl::UnknownError(TextOf(error));
    return RetryableFailure(
        ErrorKind::kSystem, "ResourceDeletedExternally",
        absl::StrFormat("resource not found, name [%s]. reason: %s",
                        object.name, TextOf(error)));
  }
  if (!object.plugin.ok()) return object.plugin;
  if (!IsTerminal(object.plugin->phase) && object.is_deleted) {
    return RetryableFailure(
        ErrorKind::kSystem, "UnexpectedObjectDeletion",
        absl::StrFormat("object [%s] terminated %s", object.name,
                        rules.v2 ? "unexpectedly in the background"
                                 : "in the background, manually"));
  }
  return object.plugin;
}

PhaseInfo IdentityFailurePhase(std::string_view message) {
  return PermanentFailure(
      ErrorKind::kUser, "BadTaskDefinition",
      absl::StrFormat("Failed to build resource, caused by: %s", message));
}

PhaseResult CorruptedStatePhase(bool version_differs, std::string_view message,
                                const Rules& rules) {
  const std::string code(kCorruptedPluginState);
  if (rules.v2) {
    return WithCleanup(
        PermanentFailure(ErrorKind::kSystem, code, std::string(message)));
  }
  if (version_differs) {
    return RetryableFailure(ErrorKind::kUser, code, std::string(message));
  }
  return absl::UnknownError(
      absl::StrFormat("Failed to read unmarshal custom state: %s", message));
}

}  // namespace mulligan::flyte
