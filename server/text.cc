#include "server/text.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Length of the well-formed character at the start of `text` (which must not
// be empty), or 0. Table 3-7 of the Unicode standard.
std::size_t CharacterLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return length;
}

void AppendJsonCharacter(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    absl::StrAppendFormat(&out, "\\u%04x", byte);
  } else {
    out += c;
  }
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string Truncate(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes - 3;
  while (end > 0 && IsContinuation(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 1) {
      AppendJsonCharacter(text[0], out);
    } else {
      out += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void JsonObject::AddKey(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  AppendJsonString(key, text_);
  text_ += ':';
}

JsonObject& JsonObject::Add(std::string_view key, std::string_view value) {
  AddKey(key);
  AppendJsonString(value, text_);
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, const char* value) {
  return Add(key, std::string_view(value));
}

JsonObject& JsonObject::Add(std::string_view key, std::int64_t value) {
  AddKey(key);
  absl::StrAppendFormat(&text_, "%d", value);
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, double value) {
  AddKey(key);
  // JSON has no NaN or infinity.
  if (std::isfinite(value)) {
    absl::StrAppendFormat(&text_, "%.9g", value);
  } else {
    text_ += "null";
  }
  return *this;
}

JsonObject& JsonObject::Add(std::string_view key, bool value) {
  AddKey(key);
  text_ += value ? "true" : "false";
  return *this;
}

std::string JsonObject::Finish() && {
  text_ += '}';
  return std::move(text_);
}

}  // namespace mulligan
