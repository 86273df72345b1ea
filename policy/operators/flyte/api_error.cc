#include "policy/operators/flyte/api_error.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace mulligan::flyte {
namespace {

// Reasons client-go takes at their word, whatever the code.
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

bool Is(const ApiError& error, std::string_view reason, int code) {
  if (error.reason == reason) return true;
  const bool known = std::find(kKnownReasons.begin(), kKnownReasons.end(),
                               error.reason) != kKnownReasons.end();
  return !known && error.code == code;
}

}  // namespace

std::string TextOf(const ApiError& error) {
  if (!error.message.empty()) return error.message;
  if (!error.reason.empty()) return error.reason;
  return absl::StrCat("HTTP status ", error.code);
}

bool IsAlreadyExists(const ApiError& error) {
  return error.reason == "AlreadyExists";
}

bool IsForbidden(const ApiError& error) { return Is(error, "Forbidden", 403); }

bool IsBadRequest(const ApiError& error) {
  return Is(error, "BadRequest", 400);
}

bool IsInvalid(const ApiError& error) { return Is(error, "Invalid", 422); }

bool IsEntityTooLarge(const ApiError& error) {
  return Is(error, "RequestEntityTooLarge", 413);
}

bool IsTooManyRequests(const ApiError& error) {
  return error.reason == "TooManyRequests" || error.code == 429;
}

bool IsServerTimeout(const ApiError& error) {
  return error.reason == "ServerTimeout";
}

bool IsObjectGone(const ApiError& error) {
  return Is(error, "NotFound", 404) || Is(error, "Gone", 410) ||
         error.reason == "Expired";
}

}  // namespace mulligan::flyte
