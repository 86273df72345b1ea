#include "client/cli/base/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// 0x and 0o integers, in decimal.
std::optional<std::string> PrefixedInteger(std::string_view text) {
  const std::string_view prefix = text.substr(0, 2);
  const int base = prefix == "0x" ? 16 : prefix == "0o" ? 8 : 0;
  if (base == 0 || text.size() == 2) return std::nullopt;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 2, end, value, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return absl::StrFormat("%d", value);
}

// A decimal number as JSON writes it: ".5" and "5." and "+5" are YAML only.
std::optional<std::string> Decimal(std::string_view text) {
  std::string json;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    if (text[0] == '-') json.push_back('-');
    text.remove_prefix(1);
  }
  const size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  const bool has_point = digits < text.size() && text[digits] == '.';
  const bool has_fraction = has_point && digits + 1 < text.size() &&
                            text[digits + 1] >= '0' && text[digits + 1] <= '9';
  if (digits == 0 && !has_fraction) return std::nullopt;
  json += digits == 0 ? "0" : text.substr(0, digits);
  text.remove_prefix(has_point && !has_fraction ? digits + 1 : digits);
  json += text;
  // JSON's grammar decides the rest: leading zeros, exponents, stray text.
  const auto end = CheckJsonValue(json);
  if (!end.ok() || *end != json.size()) return std::nullopt;
  return json;
}

std::optional<std::string> PlainValue(std::string_view text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return "null";
  if (IsOneOf(text, {"true", "True", "TRUE"})) return "true";
  if (IsOneOf(text, {"false", "False", "FALSE"})) return "false";
  if (auto integer = PrefixedInteger(text)) return integer;
  if (auto number = Decimal(text)) return number;
  // JSON has no such numbers; protobuf reads these strings as doubles.
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return "\"NaN\"";
  if (IsOneOf(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return "\"Infinity\"";
  }
  if (IsOneOf(text, {"-.inf", "-.Inf", "-.INF"})) return "\"-Infinity\"";
  return std::nullopt;
}

}  // namespace

std::string YamlScalarToJson(std::string_view text, std::string_view tag) {
  if (tag.substr(0, kTagPrefix.size()) == kTagPrefix) {
    tag.remove_prefix(kTagPrefix.size());
  }
  const bool plain = IsOneOf(tag, {"", "?", "null", "bool", "int", "float"});
  if (plain) {
    if (auto value = PlainValue(text)) return *std::move(value);
  }
  return QuoteJson(text);
}

}  // namespace mulligan::cli
