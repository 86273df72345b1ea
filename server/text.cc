#include "server/text.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

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

std::string Truncate(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  return std::string(text.substr(0, Utf8Boundary(text, max_bytes - 3))) + "...";
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : SanitizeUtf8(text)) AppendJsonCharacter(c, out);
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
