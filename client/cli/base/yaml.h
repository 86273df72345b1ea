// YAML to JSON, and back for people.
#ifndef MULLIGAN_CLIENT_CLI_BASE_YAML_H_
#define MULLIGAN_CLIENT_CLI_BASE_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace mulligan::cli {

// Converts each document of a YAML stream to JSON text; empty documents are
// left out. Plain scalars follow the YAML 1.2 core schema (null, true, false,
// integers, floats, hexadecimal and octal with 0x and 0o); everything else,
// quoted scalars always, stays a string: timestamps, "yes", and digits with a
// leading zero, which YAML versions read differently.
//
// INVALID_ARGUMENT with "line L, column C: ..." for text that is not YAML,
// duplicate keys, keys that are not scalars, merge keys, nesting deeper than
// JSON may be, and aliases that expand to more than 64 MiB.
absl::StatusOr<std::vector<std::string>> YamlToJson(std::string_view yaml);

// The value as a YAML document in block style, as `kubectl -o yaml` prints it.
// Strings that YAML could take for something else, or that hold anything but
// printable characters, are in double quotes. Requires text that CheckJsonValue
// accepted.
std::string JsonToYaml(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_YAML_H_
