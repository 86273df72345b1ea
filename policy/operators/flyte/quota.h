// Quotas in the words of the API server's quota admission.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"

namespace mulligan::flyte {

// A resource.Quantity ("1Gi", "200m", "1e3") in thousand-millionths. Nothing
// for what is no quantity, or beyond Kubernetes' bounds.
std::optional<absl::int128> ParseQuantity(std::string_view text);

// backoff.IsResourceRequestsEligible, negated: whether the message says that
// some limit or request, taken alone, is not below its quota. What is equal
// to it never fits.
bool IsBeyondQuota(const std::string& message);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_QUOTA_H_
