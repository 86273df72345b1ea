// YAML from and to JSON.
#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "policy/base/issue.h"
#include "policy/loader/yaml_json.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan::cli {
namespace {

// YAML 1.1 or 1.2 reads these as something other than a string.
constexpr std::array<std::string_view, 10> kReserved = {
    "null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"};

bool IsPlainCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view(" _-./()+,;=<>@^").find(c) != std::string_view::npos;
}

// Returns whether `text` needs no quotes. Strict, because quotes do no harm.
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

bool IsEmpty(std::string_view json) {
  return (TypeOfJson(json) == JsonType::kObject && JsonMembers(json).empty()) ||
         (TypeOfJson(json) == JsonType::kArray && JsonItems(json).empty());
}

void AppendArray(std::string_view json, std::size_t indent, std::string& text);
void AppendNested(std::string_view json, std::size_t indent, std::string& text);

// If `continued`, the first member is on the line of a list's dash.
void AppendObject(std::string_view json, std::size_t indent, bool continued,
                  std::string& text) {
  for (const JsonMember& member : JsonMembers(json)) {
    if (!continued) text.append(indent, ' ');
    continued = false;
    text += Text(member.key) + ":";
    AppendNested(member.value, indent, text);
  }
}

// The value after a key or a dash.
void AppendNested(std::string_view json, std::size_t indent,
                  std::string& text) {
  const JsonType type = TypeOfJson(json);
  if (IsEmpty(json)) {
    text += type == JsonType::kObject ? " {}\n" : " []\n";
  } else if (type == JsonType::kObject) {
    text += "\n";
    AppendObject(json, indent + 2, /*continued=*/false, text);
  } else if (type == JsonType::kArray) {
    text += "\n";
    AppendArray(json, indent, text);
  } else {
    text += " " + Scalar(json) + "\n";
  }
}

void AppendArray(std::string_view json, std::size_t indent, std::string& text) {
  for (const std::string_view item : JsonItems(json)) {
    text.append(indent, ' ');
    text += "-";
    if (TypeOfJson(item) == JsonType::kObject && !IsEmpty(item)) {
      text += " ";
      AppendObject(item, indent + 2, /*continued=*/true, text);
    } else {
      AppendNested(item, indent + 2, text);
    }
  }
}

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
  const JsonType type = TypeOfJson(json);
  std::string text;
  if (type == JsonType::kObject) {
    AppendObject(json, 0, /*continued=*/false, text);
  } else if (type == JsonType::kArray) {
    AppendArray(json, 0, text);
  } else {
    text = Scalar(json) + "\n";
  }
  return text;
}

}  // namespace mulligan::cli
