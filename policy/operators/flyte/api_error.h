// Errors of the API server as client-go tells them apart.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_API_ERROR_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_API_ERROR_H_

#include <string>

namespace mulligan::flyte {

// What counts of a metav1.Status.
struct ApiError {
  // HTTP status; 0: no answer arrived.
  int code = 0;
  // metav1.StatusReason; empty: unknown.
  std::string reason;
  std::string message;
};

// The message, or the best there is instead. Never empty.
std::string TextOf(const ApiError& error);

// apimachinery/pkg/api/errors. A reason goes before the code.
bool IsAlreadyExists(const ApiError& error);
bool IsForbidden(const ApiError& error);
bool IsBadRequest(const ApiError& error);
bool IsInvalid(const ApiError& error);
bool IsEntityTooLarge(const ApiError& error);
bool IsTooManyRequests(const ApiError& error);
bool IsServerTimeout(const ApiError& error);
// NotFound, Gone or Expired: the object is no longer there.
bool IsObjectGone(const ApiError& error);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_API_ERROR_H_
