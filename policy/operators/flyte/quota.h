// Quotas: errors that name one, and Flyte 1's back-off against them.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"
#include "absl/time/time.h"
#include "policy/operators/flyte/api_error.h"

namespace mulligan::flyte {

// A resource.Quantity in thousand-millionths ("1Gi", "200m", "1e3").
using Quantity = absl::int128;
// Nothing for what is no quantity, or beyond Kubernetes' bounds.
std::optional<Quantity> ParseQuantity(std::string_view text);

// By resource name: "cpu", "memory".
using Quantities = std::map<std::string, Quantity>;

// backoff.isEligible: whether everything requested is below its quota. What is
// equal to it is not.
bool IsEligible(const Quantities& requested, const Quantities& quota);

// backoff.IsResourceQuotaExceeded.
bool IsResourceQuotaExceeded(const ApiError& error);

// backoff.IsResourceRequestsEligible: IsEligible on the amounts in the error's
// message, limits and requests apart.
bool AreRequestsEligible(const ApiError& error);

// backoff.IsBackOffError: errors that wait instead of failing.
bool IsBackOffError(const ApiError& error);

// backoff.SimpleBackOffBlocker: how long to wait, and the next exponent.
struct QuotaBackoff {
  absl::Duration delay;
  std::uint32_t exponent = 0;
};
QuotaBackoff NextQuotaBackoff(std::uint32_t exponent, std::int64_t base_seconds,
                              absl::Duration max_duration);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_
