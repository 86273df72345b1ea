#include "policy/operators/flyte/quota.h"

#include <re2/re2.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace mulligan::flyte {
namespace {

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

bool IsEligible(const Quantities& requested, const Quantities& quota) {
  for (const auto& [resource, quantity] : requested) {
    const auto limit = quota.find(resource);
    if (limit != quota.end() && quantity >= limit->second) return false;
  }
  return true;
}

bool IsResourceQuotaExceeded(const ApiError& error) {
  return IsForbidden(error) &&
         absl::StrContains(error.message, "exceeded quota");
}

bool AreRequestsEligible(const ApiError& error) {
  return IsEligible(Amounts(error.message, "requested", "limits"),
                    Amounts(error.message, "limited", "limits")) &&
         IsEligible(Amounts(error.message, "requested", "requests"),
                    Amounts(error.message, "limited", "requests"));
}

bool IsBackOffError(const ApiError& error) {
  return IsResourceQuotaExceeded(error) || IsTooManyRequests(error) ||
         IsServerTimeout(error) ||
         (IsForbidden(error) &&
          absl::StrContains(error.message, "etcdserver:"));
}

QuotaBackoff NextQuotaBackoff(std::uint32_t exponent, std::int64_t base_seconds,
                              absl::Duration max_duration) {
  const double seconds = std::pow(static_cast<double>(base_seconds), exponent);
  const absl::Duration delay = absl::Seconds(seconds);
  if (delay > max_duration) return {max_duration, exponent};
  return {delay, exponent + 1};
}

}  // namespace mulligan::flyte
