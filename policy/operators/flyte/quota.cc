#include "policy/operators/flyte/quota.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace mulligan::flyte {
namespace {

using Quantity = absl::int128;
// By resource: "cpu", "memory".
using Quantities = std::map<std::string, Quantity>;

constexpr int kNanoDigits = 9;
// More than 2^63 units; Kubernetes caps quantities there.
constexpr int kMostDigits = 19;
constexpr int kMostExponent = 1000;

struct SuffixRow {
  std::string_view suffix;
  // Power of ten; binary suffixes use `binary` powers of 1024.
  int decimal;
  int binary;
};
constexpr std::array<SuffixRow, 16> kSuffixes = {{
    {"", 0, 0},
    {"n", -9, 0},
    {"u", -6, 0},
    {"m", -3, 0},
    {"k", 3, 0},
    {"M", 6, 0},
    {"G", 9, 0},
    {"T", 12, 0},
    {"P", 15, 0},
    {"E", 18, 0},
    {"Ki", 0, 1},
    {"Mi", 0, 2},
    {"Gi", 0, 3},
    {"Ti", 0, 4},
    {"Pi", 0, 5},
    {"Ei", 0, 6},
}};

std::optional<SuffixRow> SuffixNamed(std::string_view suffix) {
  for (const SuffixRow& row : kSuffixes) {
    if (row.suffix == suffix) return row;
  }
  SuffixRow exponent = {"", 0, 0};
  if (suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E') &&
      absl::SimpleAtoi(std::string(suffix.substr(1)), &exponent.decimal) &&
      std::abs(exponent.decimal) < kMostExponent) {
    return exponent;
  }
  return std::nullopt;
}

// Amounts of `kind` ("limits") that the message says are `what` ("requested").
Quantities Amounts(const std::string& message, const std::string& what,
                   const std::string& kind) {
  const RE2 list_of(
      absl::StrCat(what, ": ((?:", kind, ".[a-zA-Z]+=[a-zA-Z0-9]+,*)+)"));
  static const RE2& entry_of = *new RE2("[^.,]*\\.([^=,]*)=([^,]*),*");
  std::string list;
  Quantities amounts;
  if (!RE2::PartialMatch(message, list_of, &list)) return amounts;
  re2::StringPiece rest(list);
  std::string resource;
  std::string amount;
  while (RE2::Consume(&rest, entry_of, &resource, &amount)) {
    if (const auto quantity = ParseQuantity(amount)) {
      amounts[resource] = *quantity;
    }
  }
  return amounts;
}

// Whether some limit, or request, is not below its quota.
bool IsBeyond(const std::string& message, const std::string& kind) {
  const Quantities limited = Amounts(message, "limited", kind);
  for (const auto& [resource, quantity] : Amounts(message, "requested", kind)) {
    const auto limit = limited.find(resource);
    if (limit != limited.end() && quantity >= limit->second) return true;
  }
  return false;
}

}  // namespace

std::optional<Quantity> ParseQuantity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Quantity digits = 0;
  int count = 0;
  int fraction = 0;
  bool point = false;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (text[end] == '.' && !point) {
      point = true;
      continue;
    }
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[end]))) break;
    digits = digits * 10 + (text[end] - '0');
    if (point) ++fraction;
    if (++count > kMostDigits) return std::nullopt;
  }
  const std::optional<SuffixRow> suffix = SuffixNamed(text.substr(end));
  if (count == 0 || !suffix.has_value()) return std::nullopt;
  for (int i = 0; i < suffix->binary; ++i) digits *= 1024;
  int power = suffix->decimal + kNanoDigits - fraction;
  if (power > kNanoDigits + 18) return std::nullopt;
  for (; power > 0; --power) {
    // 2^127 is about 1.7e38.
    if (digits > absl::Int128Max() / 10) return std::nullopt;
    digits *= 10;
  }
  for (; power < 0; ++power) {
    // Kubernetes rounds up.
    digits = digits / 10 + (digits % 10 == 0 ? 0 : 1);
    if (digits <= 1 && power < -2 * kMostDigits) break;
  }
  return negative ? -digits : digits;
}

bool IsBeyondQuota(const std::string& message) {
  return IsBeyond(message, "limits") || IsBeyond(message, "requests");
}

}  // namespace mulligan::flyte
