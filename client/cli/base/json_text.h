// JSON as text: checking it with positions, and cutting out its parts; YAML
// from it and to it. Objects are routed to messages by their kind, so they have
// to be taken apart before protobuf's parser sees them; its messages name no
// line either.
#ifndef MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_
#define MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

namespace mulligan::cli {

// Nesting that protobuf's JSON parser accepts, too.
inline constexpr int kMaxJsonDepth = 100;

enum class JsonType { kNull, kBool, kNumber, kString, kArray, kObject };

// Checks the JSON value (RFC 8259) that starts at `text[start]`, after white
// space, and returns the offset just past it. Bytes of strings are not checked
// for UTF-8; a key that an object has twice, however it is written, is an
// error, since readers differ in which one they take. INVALID_ARGUMENT says
// "line L, column C: ..." counted from the start of `text`; columns are bytes.
absl::StatusOr<size_t> CheckJsonValue(std::string_view text, size_t start = 0);

// The offset of the first character at or after `start` that is not JSON white
// space; text.size() when there is none.
size_t SkipJsonSpace(std::string_view text, size_t start = 0);

// The functions below require text that CheckJsonValue accepted. Leading white
// space is allowed; the results are views into the argument.

JsonType TypeOfJson(std::string_view value);

struct JsonMember {
  std::string key;
  std::string_view value;
};

// Members of an object in order, duplicates included; empty for other types.
std::vector<JsonMember> JsonMembers(std::string_view object);

// The value of the first member of that name; "null" where there is none, and
// for other types.
std::string_view JsonMemberOf(std::string_view object, std::string_view key);

// Elements of an array; empty for other types.
std::vector<std::string_view> JsonItems(std::string_view array);

// A string without quotes and escapes, in UTF-8; lone surrogates become U+FFFD.
// Empty for other types.
std::string JsonStringValue(std::string_view value);

// `text` as a JSON string with quotes, safe to show (policy/base/utf8.h).
std::string QuoteJson(std::string_view text);

// The text they are views of outlives it.
using KeySet = absl::flat_hash_set<std::string_view>;

// Converts each document of a YAML stream to JSON text; empty documents are
// left out. INVALID_ARGUMENT with "line L, column C: ..." for what ParseYaml
// refuses in any YAML and AppendYamlAsJson in an object.
absl::StatusOr<std::vector<std::string>> YamlToJson(const std::string& yaml);

// The value as a YAML document in block style, as `kubectl -o yaml` prints it.
// Strings that YAML could take for something else, or that hold anything but
// printable characters, are in double quotes. Requires text that CheckJsonValue
// accepted.
std::string JsonToYaml(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_
