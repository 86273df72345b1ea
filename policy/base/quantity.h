// Kubernetes resource quantities, such as "4Gi" and "500m".
#ifndef MULLIGAN_POLICY_BASE_QUANTITY_H_
#define MULLIGAN_POLICY_BASE_QUANTITY_H_

#include <optional>
#include <string>
#include <string_view>

namespace mulligan {

// Returns `quantity` times `factor`, rounded up to two decimals. Uses the same
// unit, or the next larger one if the result is a whole number of it. Empty if
// `quantity` is invalid.
std::optional<std::string> Multiply(std::string_view quantity, double factor);

// Returns `quantity` in its base unit (bytes, cores). Empty if it is invalid.
std::optional<double> QuantityValue(std::string_view quantity);

// Returns bytes in a readable unit, such as "39.93Gi".
std::string BytesText(double bytes);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_QUANTITY_H_
