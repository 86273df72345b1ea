// JSON as text: checks it with positions, cuts out its parts, and converts it
// from and to YAML. Used before protobuf's parser, because the kind of an
// object selects its message and protobuf's errors name no line.
#ifndef MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_
#define MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

namespace mulligan::cli {

// The nesting that protobuf's JSON parser accepts.
inline constexpr int kMaxJsonDepth = 100;

enum class JsonType { kNull, kBool, kNumber, kString, kArray, kObject };

// Checks the JSON value (RFC 8259) at `text[start]`, after white space, and
// returns the offset just past it. Does not check that strings are UTF-8. A
// duplicate key is an error, however it is escaped, because readers differ in
// which one they take. INVALID_ARGUMENT says "line L, column C: ..." from the
// start of `text`; columns count bytes.
absl::StatusOr<size_t> CheckJsonValue(std::string_view text, size_t start = 0);

// Returns the offset of the first character at or after `start` that is not
// JSON white space, or text.size().
size_t SkipJsonSpace(std::string_view text, size_t start = 0);

// REQUIRES (TypeOfJson to JsonStringValue): CheckJsonValue accepts the text.
// White space before it is allowed. Views in the results point into the
// argument.

JsonType TypeOfJson(std::string_view value);

struct JsonMember {
  std::string key;
  std::string_view value;
};

// Returns the members of an object in order; empty for other types.
std::vector<JsonMember> JsonMembers(std::string_view object);

// Returns the value of the member `key`; "null" if absent.
std::string_view JsonMemberOf(std::string_view object, std::string_view key);

// Returns the elements of an array; empty for other types.
std::vector<std::string_view> JsonItems(std::string_view array);

// Returns a string in UTF-8 without quotes and escapes; lone surrogates become
// U+FFFD. Empty for other types.
std::string JsonStringValue(std::string_view value);

// Returns `text` as a quoted JSON string, safe to show (policy/base/utf8.h).
std::string QuoteJson(std::string_view text);

// The text that the keys point into must outlive the set.
using KeySet = absl::flat_hash_set<std::string_view>;

// Converts each document of a YAML stream to JSON and omits empty ones.
// INVALID_ARGUMENT says "line L, column C: ..." for YAML that ParseYaml or
// AppendYamlAsJson refuses.
absl::StatusOr<std::vector<std::string>> YamlToJson(const std::string& yaml);

// Returns the value as a block-style YAML document, as `kubectl -o yaml` prints
// it. A string is in double quotes if YAML could read it as something else or
// it has characters that are not printable. REQUIRES: CheckJsonValue accepts
// `json`.
std::string JsonToYaml(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_JSON_TEXT_H_
