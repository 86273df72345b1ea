#include "policy/loader/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/limits.h"
#include "policy/loader/yaml_text.h"
#include "policy/loader/yaml_tree.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

absl::Status Refuse(const YamlNode& node, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is not %s", Quote(node.text), expected));
}

absl::Status RefuseQuotes(const YamlNode& node, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s in quotes is a string, expected %s without quotes",
                      Quote(node.text), expected));
}

bool Fits(std::string_view text, const re2::RE2& form) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), form);
}

bool IsWhole(std::string_view text) {
  static const re2::RE2* const kForm = new re2::RE2("-?[0-9]+");
  return Fits(text, *kForm);
}

// Returns whether some YAML reader takes the text for another type.
bool LooksTyped(std::string_view text) {
  static const re2::RE2* const kForm = new re2::RE2(
      "y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|"
      "off|Off|OFF|"
      "[-+]?(?:\\.(?:inf|Inf|INF|nan|NaN|NAN)|0[xX][0-9a-fA-F_]*|0o[0-9]+|"
      "(?:-?[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?)");
  return Fits(text, *kForm);
}

template <typename T>
absl::StatusOr<T> ParseWhole(const YamlNode& node, T min, T max) {
  static constexpr std::string_view kExpected = "a whole number";
  if (node.quoted) return RefuseQuotes(node, kExpected);
  if (!IsWhole(node.text)) return Refuse(node, kExpected);
  const bool negative = node.text[0] == '-';
  const std::string digits = node.text.substr(negative ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0') {
    const std::size_t first = digits.find_first_not_of('0');
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s has a leading zero, which some readers take for octal; write %s",
        Quote(node.text),
        first == digits.npos
            ? "0"
            : absl::StrCat(negative ? "-" : "", digits.substr(first))));
  }
  T value = 0;
  if (!absl::SimpleAtoi(node.text, &value) || value < min || value > max) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s is out of range, expected %d to %d", Quote(node.text), min, max));
  }
  return value;
}

struct Unit {
  std::string_view name;
  int64_t milliseconds;
};

constexpr std::array<Unit, 5> kUnits = {{{"d", 86'400'000},
                                         {"h", 3'600'000},
                                         {"m", 60'000},
                                         {"s", 1'000},
                                         {"ms", 1}}};

constexpr int64_t kLongest = kMaxPolicySeconds * 1000;
constexpr int64_t kLongestDays = kLongest / kUnits[0].milliseconds;

}  // namespace

absl::StatusOr<std::string> ReadString(const YamlNode& node) {
  if (!node.quoted && LooksTyped(node.text)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "expected a string, %s is a number or boolean to YAML; put it in "
        "quotes",
        node.text));
  }
  return node.text;
}

absl::StatusOr<bool> ReadBool(const YamlNode& node) {
  if (node.quoted) return RefuseQuotes(node, "true or false");
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return Refuse(node, "true or false");
}

absl::StatusOr<int64_t> ReadInteger(const YamlNode& node, int64_t min,
                                    int64_t max) {
  return ParseWhole<int64_t>(node, min, max);
}

absl::StatusOr<uint64_t> ReadUnsigned(const YamlNode& node, uint64_t max) {
  return ParseWhole<uint64_t>(node, 0, max);
}

absl::StatusOr<double> ReadDouble(const YamlNode& node) {
  static constexpr std::string_view kExpected = "a number such as 2 or 1.5";
  static const re2::RE2* const kForm =
      new re2::RE2(R"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)");
  if (node.quoted) return RefuseQuotes(node, kExpected);
  if (!Fits(node.text, *kForm)) return Refuse(node, kExpected);
  double value = 0;
  if (!absl::SimpleAtod(node.text, &value) || !std::isfinite(value)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is out of range", Quote(node.text)));
  }
  return value;
}

absl::StatusOr<google::protobuf::Duration> ReadDuration(const YamlNode& node) {
  static constexpr std::string_view kExpected =
      "a duration such as \"90s\", \"1m30s\", \"24h\", \"7d\" or \"250ms\"";
  static const re2::RE2* const kPart = new re2::RE2("([0-9]+)([^0-9]+)");
  if (!node.text.empty() && node.text[0] != '-' && IsWhole(node.text)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s has no unit, expected %s", Quote(node.text), kExpected));
  }
  re2::StringPiece rest = node.text;
  const auto* next = kUnits.begin();
  int64_t total = 0;
  do {
    std::string digits;
    std::string name;
    if (!re2::RE2::Consume(&rest, *kPart, &digits, &name)) {
      return Refuse(node, kExpected);
    }
    const auto* const unit =
        std::ranges::find(next, kUnits.end(), name, &Unit::name);
    if (unit == kUnits.end()) return Refuse(node, kExpected);
    next = unit + 1;
    int64_t count = 0;
    if (!absl::SimpleAtoi(digits, &count) ||
        count > (kLongest - total) / unit->milliseconds) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s is longer than %dd", Quote(node.text), kLongestDays));
    }
    total += count * unit->milliseconds;
  } while (!rest.empty());
  google::protobuf::Duration duration;
  duration.set_seconds(total / 1000);
  duration.set_nanos(static_cast<int32_t>(total % 1000 * 1'000'000));
  return duration;
}

}  // namespace mulligan
