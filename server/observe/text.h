// Text from outside, prepared for protobuf strings and log lines.
#ifndef MULLIGAN_SERVER_OBSERVE_TEXT_H_
#define MULLIGAN_SERVER_OBSERVE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan {

// Returns the longest prefix of at most `max_bytes` bytes that does not split a
// character, with "..." inside that limit if something was cut.
// REQUIRES: `text` is valid UTF-8, and `max_bytes` is at least 3.
std::string Truncate(std::string_view text, std::size_t max_bytes);

// Writes one JSON object on one line, members in the order of the calls.
class JsonObject {
 public:
  JsonObject& Add(std::string_view key, std::string_view value);
  JsonObject& Add(std::string_view key, const char* value);
  JsonObject& Add(std::string_view key, std::int64_t value);
  JsonObject& Add(std::string_view key, double value);
  JsonObject& Add(std::string_view key, bool value);

  // Returns the object. Call once.
  std::string Finish() &&;

 private:
  void AddKey(std::string_view key);

  std::string text_ = "{";
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_TEXT_H_
