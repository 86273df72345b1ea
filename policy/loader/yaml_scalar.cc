#include "policy/loader/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/characters.h"
#include "policy/loader/yaml_text.h"

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

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view ConsumeDigits(std::string_view& text) {
  const size_t end =
      std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

bool HasLeadingZero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0';
}

// Digits, optional fraction, optional exponent.
bool IsDecimal(std::string_view text) {
  ConsumePrefix(text, "-");
  if (ConsumeDigits(text).empty()) return false;
  if (ConsumePrefix(text, ".") && ConsumeDigits(text).empty()) return false;
  if (ConsumePrefix(text, "e") || ConsumePrefix(text, "E")) {
    if (!ConsumePrefix(text, "-")) ConsumePrefix(text, "+");
    if (ConsumeDigits(text).empty()) return false;
  }
  return text.empty();
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  return text;
}

// What some YAML reader or other takes for a number, boolean or null.
bool LooksTyped(std::string_view text) {
  static constexpr std::array<std::string_view, 22> kYamlWords = {
      "y",  "Y",  "n",    "N",    "yes",  "Yes",   "YES",   "no",
      "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE",
      "on", "On", "ON",   "off",  "Off",  "OFF"};
  if (std::find(kYamlWords.begin(), kYamlWords.end(), text) !=
      kYamlWords.end()) {
    return true;
  }
  std::string_view number = WithoutSign(text);
  if (number == ".inf" || number == ".Inf" || number == ".INF" ||
      number == ".nan" || number == ".NaN" || number == ".NAN") {
    return true;
  }
  if (ConsumePrefix(number, "0x") || ConsumePrefix(number, "0X")) {
    return number.find_first_not_of("0123456789abcdefABCDEF_") == number.npos;
  }
  if (ConsumePrefix(number, "0o")) return AllDigits(number);
  return IsDecimal(number) || (number.size() > 1 && number[0] == '.' &&
                               IsDecimal(absl::StrFormat("0%s", number)));
}

// Checks the form of a whole number; the range is the caller's.
absl::Status CheckWhole(const YamlNode& node) {
  static constexpr std::string_view kExpected = "a whole number";
  if (node.quoted) return RefuseQuotes(node, kExpected);
  std::string_view digits = node.text;
  ConsumePrefix(digits, "-");
  if (!AllDigits(digits)) return Refuse(node, kExpected);
  if (HasLeadingZero(digits)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s has a leading zero, which some readers take for octal; write %s",
        Quote(node.text),
        digits.find_first_not_of('0') == digits.npos
            ? std::string("0")
            : std::string(node.text[0] == '-' ? "-" : "") +
                  std::string(digits.substr(digits.find_first_not_of('0')))));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<T> ParseWhole(const YamlNode& node, T min, T max) {
  T value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [parsed_to, error] = std::from_chars(node.text.data(), end, value);
  if (error != std::errc() || parsed_to != end || value < min || value > max) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s is out of range, expected %d to %d", Quote(node.text), min, max));
  }
  return value;
}

struct Unit {
  std::string_view name;
  int64_t milliseconds;
};

// Largest first. "ms" before "m" and "s" is settled by ReadUnit.
constexpr std::array<Unit, 5> kUnits = {{{"d", 86'400'000},
                                         {"h", 3'600'000},
                                         {"m", 60'000},
                                         {"s", 1'000},
                                         {"ms", 1}}};

constexpr int64_t kLongestDays = 36500;
constexpr int64_t kLongest = kLongestDays * kUnits[0].milliseconds;

// Index into kUnits of the unit `text` starts with, consumed; or kUnits.size().
size_t ReadUnit(std::string_view& text) {
  const size_t end = std::min(text.find_first_of("0123456789"), text.size());
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  const auto* const unit = std::find_if(
      kUnits.begin(), kUnits.end(),
      [&](const Unit& candidate) { return candidate.name == name; });
  return static_cast<size_t>(unit - kUnits.begin());
}

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
  if (absl::Status status = CheckWhole(node); !status.ok()) return status;
  return ParseWhole<int64_t>(node, min, max);
}

absl::StatusOr<uint64_t> ReadUnsigned(const YamlNode& node, uint64_t max) {
  if (absl::Status status = CheckWhole(node); !status.ok()) return status;
  return ParseWhole<uint64_t>(node, 0, max);
}

absl::StatusOr<double> ReadDouble(const YamlNode& node) {
  static constexpr std::string_view kExpected = "a number such as 2 or 1.5";
  if (node.quoted) return RefuseQuotes(node, kExpected);
  std::string_view digits = WithoutSign(node.text);
  if (!IsDecimal(node.text) || HasLeadingZero(ConsumeDigits(digits))) {
    return Refuse(node, kExpected);
  }
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
  std::string_view rest = node.text;
  if (AllDigits(rest)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s has no unit, expected %s", Quote(node.text), kExpected));
  }
  int64_t total = 0;
  size_t next_unit = 0;
  while (!rest.empty() || next_unit == 0) {
    const std::string_view digits = ConsumeDigits(rest);
    const size_t unit = ReadUnit(rest);
    if (digits.empty() || unit >= kUnits.size() || unit < next_unit) {
      return Refuse(node, kExpected);
    }
    next_unit = unit + 1;
    int64_t count = 0;
    const auto parsed =
        std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (parsed.ec != std::errc() ||
        count > (kLongest - total) / kUnits[unit].milliseconds) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s is longer than %dd", Quote(node.text), kLongestDays));
    }
    total += count * kUnits[unit].milliseconds;
  }
  google::protobuf::Duration duration;
  duration.set_seconds(total / 1000);
  duration.set_nanos(static_cast<int32_t>(total % 1000 * 1'000'000));
  return duration;
}

}  // namespace mulligan
