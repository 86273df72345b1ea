// YAML from JSON and to it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "policy/base/issue.h"
#include "policy/loader/yaml_json.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan::cli {
namespace {

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

absl::StatusOr<std::vector<std::string>> YamlToJson(const std::string& yaml) {
  Issues issues;
  std::vector<std::string> documents;
  for (const YamlNode& document :
       ParseYaml("", yaml, issues, YamlDialect::kAny).documents) {
    if (document.kind == YamlNode::Kind::kNull) continue;
    AppendYamlAsJson(document, issues, documents.emplace_back());
  }
  if (issues.empty()) return documents;
  const auto& [line, column] = issues.front().position;
  return Invalid("line %d, column %d: %s", line, column,
                 issues.front().message);
}

std::string JsonToYaml(std::string_view json) {
  Printer printer;
  printer.Value(json, 0);
  return printer.Take();
}

}  // namespace mulligan::cli
