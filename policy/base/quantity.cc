#include "policy/base/quantity.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

struct Unit {
  std::string_view suffix;
  double value;
  std::string_view larger;
  int step;
};

constexpr std::array<Unit, 16> kUnits = {{
    {"Ki", 1024.0, "Mi", 1024},
    {"Mi", 1048576.0, "Gi", 1024},
    {"Gi", 1073741824.0, "Ti", 1024},
    {"Ti", 1099511627776.0, "Pi", 1024},
    {"Pi", 1125899906842624.0, "", 0},
    {"Ei", 1152921504606846976.0, "", 0},
    {"n", 1e-9, "", 0},
    {"u", 1e-6, "", 0},
    {"m", 1e-3, "", 1000},
    {"k", 1e3, "M", 1000},
    {"M", 1e6, "G", 1000},
    {"G", 1e9, "T", 1000},
    {"T", 1e12, "P", 1000},
    {"P", 1e15, "", 0},
    {"E", 1e18, "", 0},
    {"", 1, "", 0},
}};

// The largest amount that the API server stores: 2^63 - 1, rounded up.
constexpr double kMaxAmount = 9.3e18;

// A parsed quantity.
struct Amount {
  double number = 0;
  const Unit* unit = nullptr;
};

// Returns whether the suffix is an exponent, such as "e3" or "E-2".
bool IsExponent(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(suffix[1] == '+' || suffix[1] == '-' ? 2 : 1);
  return !suffix.empty() &&
         suffix.find_first_not_of("0123456789") == suffix.npos;
}

// Parses apimachinery's resource.Quantity (0.34) without negative amounts.
std::optional<Amount> AmountOf(std::string_view quantity) {
  if (quantity.starts_with('+')) quantity.remove_prefix(1);
  std::size_t end = quantity.find_first_not_of("0123456789.");
  if (end != quantity.npos && end != 0 && IsExponent(quantity.substr(end))) {
    end = quantity.npos;
  }
  const std::string_view suffix =
      end == quantity.npos ? std::string_view() : quantity.substr(end);
  Amount amount;
  if (end == 0 ||
      !absl::SimpleAtod({quantity.data(), quantity.size() - suffix.size()},
                        &amount.number)) {
    return std::nullopt;
  }
  for (const Unit& unit : kUnits) {
    if (unit.suffix == suffix) amount.unit = &unit;
  }
  if (amount.unit == nullptr ||
      amount.number * amount.unit->value > kMaxAmount) {
    return std::nullopt;
  }
  return amount;
}

// At most two decimals, without trailing zeros.
std::string Number(double value) {
  std::string text = absl::StrFormat("%.2f", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::optional<std::string> Multiply(std::string_view quantity, double factor) {
  const std::optional<Amount> amount = AmountOf(quantity);
  if (!amount.has_value()) return std::nullopt;
  const Unit& unit = *amount->unit;
  // The small term prevents 4 * 1.1 from becoming 4.41.
  double grown = std::ceil(amount->number * factor * 100 - 1e-6) / 100;
  if (unit.suffix.empty()) grown = std::ceil(grown);
  if (!unit.larger.empty() && grown >= unit.step &&
      std::fmod(grown, unit.step) == 0) {
    return Number(grown / unit.step) + std::string(unit.larger);
  }
  return Number(grown) + std::string(unit.suffix);
}

std::optional<double> QuantityValue(std::string_view quantity) {
  const std::optional<Amount> amount = AmountOf(quantity);
  if (!amount.has_value()) return std::nullopt;
  return amount->number * amount->unit->value;
}

std::string BytesText(double bytes) {
  for (const auto& [unit, size] : {std::pair{"Ti", 1099511627776.0},
                                   {"Gi", 1073741824.0},
                                   {"Mi", 1048576.0},
                                   {"Ki", 1024.0}}) {
    if (bytes >= size) return absl::StrFormat("%.4g%s", bytes / size, unit);
  }
  return absl::StrFormat("%.0f", bytes);
}

}  // namespace mulligan
