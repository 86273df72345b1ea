// JSON printed as YAML.
#ifndef MULLIGAN_CLIENT_CLI_BASE_JSON_TO_YAML_H_
#define MULLIGAN_CLIENT_CLI_BASE_JSON_TO_YAML_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// The value as a YAML document in block style, as `kubectl -o yaml` prints it.
// Strings that YAML could take for something else, or that hold anything but
// printable characters, are in double quotes. Requires text that CheckJsonValue
// accepted.
std::string JsonToYaml(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_JSON_TO_YAML_H_
