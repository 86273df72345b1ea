#include <algorithm>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "policy/base/characters.h"

namespace mulligan::cli {
namespace {

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

  // For what the character there does not explain.
  absl::Status PlainErrorAt(size_t where, std::string_view what) const {
    const std::string_view before = text_.substr(0, where);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t newline = before.rfind('\n');
    const size_t column =
        where - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return absl::InvalidArgumentError(
        absl::StrFormat("line %d, column %d: %s", line, column, what));
  }

  std::string Found(size_t where) const {
    if (where >= text_.size()) return "the end of the input";
    const char c = text_[where];
    if (c > ' ' && c < 0x7f) return absl::StrFormat("'%c'", c);
    return absl::StrFormat("byte 0x%02x", static_cast<unsigned char>(c));
  }

  // An object or array, told apart by its closing character.
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
    KeySet keys;  // as they are written, quotes and escapes included
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
    if (!keys.Insert(key)) {
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
};

}  // namespace

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
