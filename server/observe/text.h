// Bytes from outside made fit for protobuf strings and log lines.
#ifndef MULLIGAN_SERVER_OBSERVE_TEXT_H_
#define MULLIGAN_SERVER_OBSERVE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan {

// The longest prefix of at most `max_bytes` that does not split a character,
// with "..." at its end when something was cut (inside `max_bytes`, which must
// be at least 3). `text` must be valid UTF-8.
std::string Truncate(std::string_view text, std::size_t max_bytes);

// Writes one JSON object on one line, members in the order of the calls.
class JsonObject {
 public:
  JsonObject& Add(std::string_view key, std::string_view value);
  JsonObject& Add(std::string_view key, const char* value);
  JsonObject& Add(std::string_view key, std::int64_t value);
  JsonObject& Add(std::string_view key, double value);
  JsonObject& Add(std::string_view key, bool value);

  // The object. Call once.
  std::string Finish() &&;

 private:
  void AddKey(std::string_view key);

  std::string text_ = "{";
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_TEXT_H_
