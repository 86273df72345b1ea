
#include "yaml-cpp/yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "re2/re2.h"
#include "yaml-cpp/depthguard.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
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
  static const RE2 kForm(
      "(?:\\+|(-?))(?:(0|[1-9][0-9]*)\\.?|((?:0|[1-9][0-9]*)?\\.[0-9]+))"
      "([eE][-+]?[0-9]+)?");
  std::string sign, whole, fraction, exponent;
  if (!RE2::FullMatch({text.data(), text.size()}, kForm, &sign, &whole,
                      &fraction, &exponent)) {
    return std::nullopt;
  }
  return absl::StrCat(sign, whole, fraction.starts_with('.') ? "0" : "",
                      fraction, exponent);
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

// The JSON value of a scalar with content `text` and yaml-cpp's `tag`: "?" for
// plain ones, "!" for quoted ones, else the tag that was written. Rules as in
// YamlToJson.
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

constexpr size_t kMaxJsonBytes = size_t{64} << 20;

absl::Status ErrorAt(const YAML::Mark& mark, std::string_view what) {
  if (mark.is_null()) return absl::InvalidArgumentError(std::string(what));
  return absl::InvalidArgumentError(absl::StrFormat(
      "line %d, column %d: %s", mark.line + 1, mark.column + 1, what));
}

class Writer {
 public:
  absl::Status Write(const YAML::Node& node, int depth) {
    if (json_.size() > kMaxJsonBytes) {
      return ErrorAt(node.Mark(), "aliases expand to more than 64 MiB");
    }
    if (depth >= kMaxJsonDepth && !node.IsScalar()) {
      return ErrorAt(node.Mark(),
                     absl::StrFormat("expected at most %d nested levels, and "
                                     "no alias inside what it stands for",
                                     kMaxJsonDepth));
    }
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return WriteMap(node, depth);
      case YAML::NodeType::Sequence:
        return WriteSequence(node, depth);
      case YAML::NodeType::Scalar:
        json_ += YamlScalarToJson(node.Scalar(), node.Tag());
        return absl::OkStatus();
      default:
        json_ += "null";
        return absl::OkStatus();
    }
  }

  std::string TakeJson() { return std::move(json_); }

 private:
  absl::Status WriteMap(const YAML::Node& map, int depth) {
    std::set<std::string> keys;
    json_.push_back('{');
    for (const auto& member : map) {
      const YAML::Node& key = member.first;
      if (!key.IsScalar()) {
        return ErrorAt(key.Mark(), "expected a scalar as key");
      }
      if (key.Scalar() == "<<" && key.Tag() == "?") {
        return ErrorAt(key.Mark(),
                       "merge keys (<<) are not supported: write the members "
                       "out");
      }
      if (!keys.insert(key.Scalar()).second) {
        return ErrorAt(key.Mark(), absl::StrFormat("duplicate key %s",
                                                   QuoteJson(key.Scalar())));
      }
      if (keys.size() > 1) json_.push_back(',');
      json_ += QuoteJson(key.Scalar());
      json_.push_back(':');
      if (absl::Status status = Write(member.second, depth + 1); !status.ok()) {
        return status;
      }
    }
    json_.push_back('}');
    return absl::OkStatus();
  }

  absl::Status WriteSequence(const YAML::Node& sequence, int depth) {
    bool first = true;
    json_.push_back('[');
    for (const YAML::Node& element : sequence) {
      if (!first) json_.push_back(',');
      first = false;
      if (absl::Status status = Write(element, depth + 1); !status.ok()) {
        return status;
      }
    }
    json_.push_back(']');
    return absl::OkStatus();
  }

  std::string json_;
};

absl::StatusOr<std::vector<std::string>> Convert(std::string_view yaml) {
  std::vector<std::string> documents;
  for (const YAML::Node& node : YAML::LoadAll(std::string(yaml))) {
    if (!node.IsDefined() || node.IsNull()) continue;
    Writer writer;
    if (absl::Status status = writer.Write(node, 0); !status.ok()) {
      return status;
    }
    documents.push_back(writer.TakeJson());
  }
  return documents;
}

// What YAML 1.1 and 1.2 read as something else than a string.
constexpr std::array<std::string_view, 10> kReserved = {
    "null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"};

bool IsPlainCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view(" _-./()+,;=<>@^").find(c) != std::string_view::npos;
}

// Whether `text` reads the same without quotes. Strict: quotes do no harm.
bool IsPlain(std::string_view text) {
  if (text.empty() || text.back() == ' ') return false;
  const auto first = static_cast<unsigned char>(text.front());
  if (!absl::ascii_isalpha(first) && first != '/') return false;
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  return std::ranges::all_of(text, IsPlainCharacter) &&
         std::ranges::find(kReserved, lower) == kReserved.end();
}

std::string Text(const std::string& text) {
  return IsPlain(text) ? text : QuoteJson(text);
}

std::string Scalar(std::string_view json) {
  if (TypeOfJson(json) == JsonType::kString) return Text(JsonStringValue(json));
  return std::string(json);
}

class Printer {
 public:
  // Values other than scalars begin on a line of their own.
  void Value(std::string_view json, std::size_t indent) {
    switch (TypeOfJson(json)) {
      case JsonType::kObject:
        Object(json, indent, /*continued=*/false);
        break;
      case JsonType::kArray:
        Array(json, indent);
        break;
      default:
        text_ += Scalar(json) + "\n";
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  // The first member is `continued` on the line of a list's dash.
  void Object(std::string_view json, std::size_t indent, bool continued) {
    for (const JsonMember& member : JsonMembers(json)) {
      if (!continued) text_.append(indent, ' ');
      continued = false;
      text_ += Text(member.key) + ":";
      Nested(member.value, indent);
    }
  }

  void Nested(std::string_view json, std::size_t indent) {
    const JsonType type = TypeOfJson(json);
    if (IsEmpty(json)) {
      text_ += type == JsonType::kObject ? " {}\n" : " []\n";
    } else if (type == JsonType::kObject) {
      text_ += "\n";
      Object(json, indent + 2, /*continued=*/false);
    } else if (type == JsonType::kArray) {
      text_ += "\n";
      Array(json, indent);
    } else {
      text_ += " " + Scalar(json) + "\n";
    }
  }

  void Array(std::string_view json, std::size_t indent) {
    for (const std::string_view item : JsonItems(json)) {
      text_.append(indent, ' ');
      text_ += "-";
      if (TypeOfJson(item) == JsonType::kObject && !IsEmpty(item)) {
        text_ += " ";
        Object(item, indent + 2, /*continued=*/true);
      } else {
        Nested(item, indent + 2);
      }
    }
  }

  static bool IsEmpty(std::string_view json) {
    return (TypeOfJson(json) == JsonType::kObject &&
            JsonMembers(json).empty()) ||
           (TypeOfJson(json) == JsonType::kArray && JsonItems(json).empty());
  }

  std::string text_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  try {
    return Convert(yaml);
  } catch (const YAML::DeepRecursion&) {
    // Its mark is where the parser has read to, not where it gave up.
    return absl::InvalidArgumentError(
        absl::StrFormat("expected at most %d nested levels", kMaxJsonDepth));
  } catch (const YAML::Exception& e) {
    return ErrorAt(e.mark, absl::StrFormat("not YAML: %s", e.msg));
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrFormat("not YAML: %s", e.what()));
  }
}

std::string JsonToYaml(std::string_view json) {
  Printer printer;
  printer.Value(json, 0);
  return printer.Take();
}

}  // namespace mulligan::cli
