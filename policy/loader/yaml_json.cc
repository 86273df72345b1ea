#include "policy/loader/yaml_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/message_json.h"
#include "policy/loader/yaml_text.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

// Converts 0x and 0o integers to decimal.
std::optional<std::string> PrefixedInteger(std::string_view text) {
  const std::string_view prefix = text.substr(0, 2);
  const int base = prefix == "0x" ? 16 : prefix == "0o" ? 8 : 0;
  if (base == 0 || text.size() == 2) return std::nullopt;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 2, end, value, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return absl::StrCat(value);
}

// Returns a number in JSON form; ".5", "5." and "+5" are YAML only.
std::optional<std::string> Decimal(std::string_view text) {
  static const re2::RE2* const kForm = new re2::RE2(
      "(?:\\+|(-?))(?:(0|[1-9][0-9]*)\\.?|((?:0|[1-9][0-9]*)?\\.[0-9]+))"
      "([eE][-+]?[0-9]+)?");
  std::string sign, whole, fraction, exponent;
  if (!re2::RE2::FullMatch({text.data(), text.size()}, *kForm, &sign, &whole,
                           &fraction, &exponent)) {
    return std::nullopt;
  }
  return absl::StrCat(sign, whole, fraction.starts_with('.') ? "0" : "",
                      fraction, exponent);
}

// Returns the JSON of a plain scalar that is not a string; empty otherwise.
std::optional<std::string> TypedJson(std::string_view text) {
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

class JsonWriter {
 public:
  JsonWriter(Issues& issues, std::string& json)
      : issues_(issues), json_(json) {}

  void Write(const YamlNode& node, int depth) {
    const bool map = node.kind == YamlNode::Kind::kMap;
    if (node.kind == YamlNode::Kind::kScalar) {
      WriteScalar(node);
    } else if (!map && node.kind != YamlNode::Kind::kList) {
      json_ += "null";
    } else if (depth >= kMaxAnyYamlDepth) {
      json_ += "null";
      Refuse(node,
             absl::StrFormat("nested deeper than %d levels", kMaxAnyYamlDepth));
    } else if (map) {
      WriteMap(node, depth);
    } else {
      WriteList(node, depth);
    }
  }

 private:
  void WriteScalar(const YamlNode& node) {
    const auto typed = node.quoted ? std::nullopt : TypedJson(node.text);
    if (typed.has_value()) {
      json_ += *typed;
    } else {
      AppendJsonString(node.text, json_);
    }
  }

  void WriteMap(const YamlNode& map, int depth) {
    std::map<std::string_view, int> lines;
    json_ += '{';
    for (const auto& [key, value] : map.entries) {
      if (!CheckKey(key, lines)) continue;
      if (json_.back() != '{') json_ += ',';
      AppendJsonString(key.text, json_);
      json_ += ':';
      Write(value, depth + 1);
    }
    json_ += '}';
  }

  // `lines`: the lines of earlier keys.
  bool CheckKey(const YamlNode& key, std::map<std::string_view, int>& lines) {
    if (key.kind == YamlNode::Kind::kHole) return false;
    if (key.kind != YamlNode::Kind::kScalar) {
      return Refuse(key, "expected a scalar as key");
    }
    if (key.text == "<<" && !key.quoted) {
      return Refuse(key,
                    "merge keys (<<) are not supported: write the members out");
    }
    const auto [first, added] = lines.emplace(key.text, key.position.line);
    return added || Refuse(key, absl::StrFormat(
                                    "duplicate key %s, first given at line %d",
                                    Quote(key.text), first->second));
  }

  void WriteList(const YamlNode& list, int depth) {
    json_ += '[';
    for (const YamlNode& item : list.items) {
      if (json_.back() != '[') json_ += ',';
      Write(item, depth + 1);
    }
    json_ += ']';
  }

  bool Refuse(const YamlNode& node, std::string message) {
    issues_.push_back(
        {Issue::Severity::kError, "", node.position, std::move(message)});
    return false;
  }

  Issues& issues_;
  std::string& json_;
};

}  // namespace

void AppendYamlAsJson(const YamlNode& node, Issues& issues, std::string& json) {
  JsonWriter(issues, json).Write(node, 0);
}

}  // namespace mulligan
