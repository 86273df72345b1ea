#include "server/observe/text.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/message_json.h"
#include "policy/base/utf8.h"

namespace mulligan {
std::string Truncate(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  return std::string(text.substr(0, Utf8Boundary(text, max_bytes - 3))) + "...";
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
