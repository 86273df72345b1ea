#include "client/cli/base/json_text.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/utf8.h"
#include "policy/base/characters.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

// Returns the offset past the string that opens at `at`.
size_t SkipString(std::string_view text, size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Returns the offset past the value at `at`. The text is valid JSON, so only
// nesting and strings matter.
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

// Decodes the \u escape at `at`, or a surrogate pair, and moves past it.
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

constexpr size_t kMaxKeyShown = 64;

class Checker {
 public:
  Checker(std::string_view text, size_t start) : text_(text), at_(start) {}

  size_t position() const { return at_; }

  absl::Status Value(int depth) {
    Space();
    if (at_ == text_.size()) return Error("expected a value");
    switch (text_[at_]) {
      case '{':
        return Container(depth, '}', "an object");
      case '[':
        return Container(depth, ']', "an array");
      case '"':
        return String();
      case 't':
        return Word("true");
      case 'f':
        return Word("false");
      case 'n':
        return Word("null");
      default:
        return Number();
    }
  }

 private:
  void Space() { at_ = SkipJsonSpace(text_, at_); }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  absl::Status Error(std::string_view what) const { return ErrorAt(at_, what); }

  absl::Status ErrorAt(size_t where, std::string_view what) const {
    return PlainErrorAt(where,
                        absl::StrFormat("%s, found %s", what, Found(where)));
  }

  // Returns an error without the character at `where`.
  absl::Status PlainErrorAt(size_t where, std::string_view what) const {
    const std::string_view before = text_.substr(0, where);
    const auto line = 1 + std::ranges::count(before, '\n');
    const size_t newline = before.rfind('\n');
    const size_t column =
        where - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return Invalid("line %d, column %d: %s", line, column, what);
  }

  std::string Found(size_t where) const {
    if (where >= text_.size()) return "the end of the input";
    const char c = text_[where];
    if (c > ' ' && c < 0x7f) return absl::StrFormat("'%c'", c);
    return absl::StrFormat("byte 0x%02x", static_cast<unsigned char>(c));
  }

  // An object or array, distinguished by the closing character.
  absl::Status Container(int depth, char close, std::string_view name) {
    if (depth >= kMaxJsonDepth) {
      return Error(
          absl::StrFormat("expected at most %d nested levels", kMaxJsonDepth));
    }
    const size_t open = at_++;
    Space();
    if (At(close)) {
      ++at_;
      return absl::OkStatus();
    }
    KeySet keys;
    while (true) {
      if (close == '}') {
        if (absl::Status key = Key(keys); !key.ok()) return key;
      }
      if (absl::Status value = Value(depth + 1); !value.ok()) return value;
      Space();
      if (At(close)) break;
      if (at_ == text_.size()) {
        return PlainErrorAt(
            open, absl::StrFormat("%s is never closed: expected '%c' before "
                                  "the end of the input",
                                  name, close));
      }
      if (!At(',')) {
        return Error(absl::StrFormat("expected ',' or '%c'", close));
      }
      ++at_;
    }
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Key(KeySet& keys) {
    Space();
    if (!At('"')) return Error("expected a key in double quotes");
    const size_t start = at_;
    if (absl::Status key = String(); !key.ok()) return key;
    const std::string_view key = text_.substr(start, at_ - start);
    const bool escaped = key.find('\\') != key.npos;
    const std::string_view name =
        escaped ? decoded_.emplace_back(JsonStringValue(key))
                : key.substr(1, key.size() - 2);
    if (!keys.insert(name).second) {
      return PlainErrorAt(start, absl::StrFormat("duplicate key %s",
                                                 key.substr(0, kMaxKeyShown)));
    }
    Space();
    if (!At(':')) return Error("expected ':' after the key");
    ++at_;
    return absl::OkStatus();
  }

  absl::Status String() {
    const size_t open = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return absl::OkStatus();
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        return Error("expected control characters in strings to be escaped");
      }
      if (c == '\\') {
        if (absl::Status escape = Escape(); !escape.ok()) return escape;
      } else {
        ++at_;
      }
    }
    return PlainErrorAt(open,
                        "a string is never closed: expected '\"' before the "
                        "end of the input");
  }

  absl::Status Escape() {
    const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (kind == 'u') {
      for (size_t i = at_ + 2; i < at_ + 6; ++i) {
        if (i >= text_.size() || !IsHexDigit(text_[i])) {
          return ErrorAt(i, "expected four hexadecimal digits after \\u");
        }
      }
      at_ += 6;
      return absl::OkStatus();
    }
    if (std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) {
      return ErrorAt(at_ + 1, "expected an escape such as \\n or \\u0041");
    }
    at_ += 2;
    return absl::OkStatus();
  }

  absl::Status Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      return Error("expected a value");
    }
    at_ += word.size();
    return absl::OkStatus();
  }

  absl::Status Digits() {
    if (at_ == text_.size() || !IsDigit(text_[at_])) {
      return Error("expected a digit");
    }
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return absl::OkStatus();
  }

  absl::Status Number() {
    if (!At('-') && !IsDigit(text_[at_])) return Error("expected a value");
    if (At('-')) ++at_;
    if (At('0')) {
      ++at_;
      if (at_ < text_.size() && IsDigit(text_[at_])) {
        return Error("expected a number without leading zeros");
      }
    } else if (absl::Status digits = Digits(); !digits.ok()) {
      return digits;
    }
    if (At('.')) {
      ++at_;
      if (absl::Status digits = Digits(); !digits.ok()) return digits;
    }
    if (At('e') || At('E')) {
      ++at_;
      if (At('+') || At('-')) ++at_;
      if (absl::Status digits = Digits(); !digits.ok()) return digits;
    }
    return absl::OkStatus();
  }

  std::string_view text_;
  size_t at_;
  // Keys with escapes, decoded; the key sets point into them.
  std::deque<std::string> decoded_;
};

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

size_t SkipJsonSpace(std::string_view text, size_t start) {
  const size_t found = text.find_first_not_of(" \t\r\n", start);
  return found == std::string_view::npos ? text.size() : found;
}

absl::StatusOr<size_t> CheckJsonValue(std::string_view text, size_t start) {
  Checker checker(text, start);
  if (absl::Status status = checker.Value(0); !status.ok()) return status;
  return checker.position();
}

}  // namespace mulligan::cli
