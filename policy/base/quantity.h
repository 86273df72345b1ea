// Amounts of resources as people write them: "4Gi", "500m".
#ifndef MULLIGAN_POLICY_BASE_QUANTITY_H_
#define MULLIGAN_POLICY_BASE_QUANTITY_H_

#include <optional>
#include <string>
#include <string_view>

namespace mulligan {

// `quantity` ("4Gi", "500m") times `factor`, rounded up to two decimals in the
// same unit, or in the next larger one where that is a whole number. Nothing
// for what is no quantity.
std::optional<std::string> Multiply(std::string_view quantity, double factor);

// `quantity` in its base unit: bytes, cores. Nothing for what is no quantity.
std::optional<double> QuantityValue(std::string_view quantity);

// Bytes as people write them: "39.93Gi".
std::string BytesText(double bytes);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_QUANTITY_H_
