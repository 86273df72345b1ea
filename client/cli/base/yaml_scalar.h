// What a YAML scalar means.
#ifndef MULLIGAN_CLIENT_CLI_BASE_YAML_SCALAR_H_
#define MULLIGAN_CLIENT_CLI_BASE_YAML_SCALAR_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// The JSON value of a scalar with content `text` and yaml-cpp's `tag`: "?" for
// plain ones, "!" for quoted ones, else the tag that was written. Rules as in
// YamlToJson.
std::string YamlScalarToJson(std::string_view text, std::string_view tag);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_YAML_SCALAR_H_
