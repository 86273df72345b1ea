#include "client/cli/base/json_text.h"

#include <cstdint>
#include <utility>

#include "client/cli/base/utf8.h"
#include "policy/base/visible.h"

namespace mulligan::cli {
namespace {

// Past the string that opens at `at`.
size_t SkipString(std::string_view text, size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Past the value that starts at `at`. The text is known to be valid, so only
// the nesting and the strings matter.
size_t SkipValue(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = SkipString(text, at);
        if (depth == 0) return at;
        break;
      case '{':
      case '[':
        ++depth;
        ++at;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        ++at;
        if (--depth == 0) return at;
        break;
      case ',':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (depth == 0) return at;
        ++at;
        break;
      default:
        ++at;
    }
  }
  return at;
}

uint32_t HexUnit(std::string_view digits) {
  uint32_t unit = 0;
  for (const char c : digits) {
    const char lower = static_cast<char>(c | 0x20);
    unit = unit * 16 +
           static_cast<uint32_t>(lower >= 'a' ? lower - 'a' + 10 : c - '0');
  }
  return unit;
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Decodes the \u escape at `at` and moves past it, or past both halves of a
// surrogate pair.
uint32_t DecodeUnicodeEscape(std::string_view text, size_t& at) {
  const uint32_t unit = HexUnit(text.substr(at + 2, 4));
  at += 6;
  if (IsHighSurrogate(unit) && text.substr(at, 2) == "\\u") {
    const uint32_t low = HexUnit(text.substr(at + 2, 4));
    if (IsLowSurrogate(low)) {
      at += 6;
      return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  return IsHighSurrogate(unit) || IsLowSurrogate(unit) ? 0xfffd : unit;
}

char DecodeSimpleEscape(char kind) {
  constexpr std::string_view kKinds = "bfnrt";
  const size_t at = kKinds.find(kind);
  return at == kKinds.npos ? kind : "\b\f\n\r\t"[at];
}

}  // namespace

JsonType TypeOfJson(std::string_view value) {
  switch (value[SkipJsonSpace(value)]) {
    case '{':
      return JsonType::kObject;
    case '[':
      return JsonType::kArray;
    case '"':
      return JsonType::kString;
    case 't':
    case 'f':
      return JsonType::kBool;
    case 'n':
      return JsonType::kNull;
    default:
      return JsonType::kNumber;
  }
}

std::vector<JsonMember> JsonMembers(std::string_view object) {
  std::vector<JsonMember> members;
  if (TypeOfJson(object) != JsonType::kObject) return members;
  size_t at = SkipJsonSpace(object, SkipJsonSpace(object) + 1);
  while (object[at] != '}') {
    const size_t key_end = SkipString(object, at);
    JsonMember member;
    member.key = JsonStringValue(object.substr(at, key_end - at));
    at = SkipJsonSpace(object, SkipJsonSpace(object, key_end) + 1);
    const size_t end = SkipValue(object, at);
    member.value = object.substr(at, end - at);
    members.push_back(std::move(member));
    at = SkipJsonSpace(object, end);
    if (object[at] == ',') at = SkipJsonSpace(object, at + 1);
  }
  return members;
}

std::string_view JsonMemberOf(std::string_view object, std::string_view key) {
  for (const JsonMember& member : JsonMembers(object)) {
    if (member.key == key) return member.value;
  }
  return "null";
}

std::vector<std::string_view> JsonItems(std::string_view array) {
  std::vector<std::string_view> items;
  if (TypeOfJson(array) != JsonType::kArray) return items;
  size_t at = SkipJsonSpace(array, SkipJsonSpace(array) + 1);
  while (array[at] != ']') {
    const size_t end = SkipValue(array, at);
    items.push_back(array.substr(at, end - at));
    at = SkipJsonSpace(array, end);
    if (array[at] == ',') at = SkipJsonSpace(array, at + 1);
  }
  return items;
}

std::string JsonStringValue(std::string_view value) {
  std::string result;
  size_t at = SkipJsonSpace(value);
  if (value[at] != '"') return result;
  ++at;
  while (value[at] != '"') {
    if (value[at] != '\\') {
      result.push_back(value[at++]);
    } else if (value[at + 1] == 'u') {
      AppendUtf8(DecodeUnicodeEscape(value, at), result);
    } else {
      result.push_back(DecodeSimpleEscape(value[at + 1]));
      at += 2;
    }
  }
  return result;
}

std::string QuoteJson(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result.push_back('\\');
    result.push_back(c);
  }
  result.push_back('"');
  return Visible(result);
}

}  // namespace mulligan::cli
