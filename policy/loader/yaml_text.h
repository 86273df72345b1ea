// Checks of YAML text before parsing, and quoting for messages.
#ifndef MULLIGAN_POLICY_LOADER_YAML_TEXT_H_
#define MULLIGAN_POLICY_LOADER_YAML_TEXT_H_

#include <string>
#include <string_view>

#include "policy/base/issue.h"

namespace mulligan {

enum class YamlDialect {
  // The subset for policies.
  kPolicy,
  // YAML as in kubectl: expands aliases, obeys tags, counts no values.
  kAny,
};

// Adds an issue for invalid UTF-8, control characters (yaml-cpp takes U+0004
// for the end of the file), tabs in indentation, and directives (lines with %,
// which yaml-cpp skips). For kAny, only for invalid UTF-8 and U+0004. Returns
// false if the text must not be parsed.
bool CheckYamlText(const std::string& file, std::string_view text,
                   Issues& issues, YamlDialect dialect = YamlDialect::kPolicy);

// Returns `text` in double quotes for a message: control characters escaped and
// at most 60 bytes, so that a file cannot forge lines of output.
std::string Quote(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_TEXT_H_
