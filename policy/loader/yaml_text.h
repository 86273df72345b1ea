// The text of a YAML file before it is parsed, and in messages.
#ifndef MULLIGAN_POLICY_LOADER_YAML_TEXT_H_
#define MULLIGAN_POLICY_LOADER_YAML_TEXT_H_

#include <string>
#include <string_view>

#include "policy/base/issue.h"

namespace mulligan {

enum class YamlDialect {
  // What policies may be written in.
  kPolicy,
  // All of YAML, as kubectl and people write it: aliases are the values they
  // stand for, tags are obeyed. Values are not counted.
  kAny,
};

// Adds an issue for bytes that are no UTF-8, for control characters (yaml-cpp
// takes U+0004 for the end of the file and would drop the rest without a word),
// for tabs in indentation and for directives (a line that starts with %, which
// yaml-cpp skips); of the dialect kAny, for bytes that are no UTF-8 and U+0004.
// Returns false when the text must not be parsed.
bool CheckYamlText(const std::string& file, std::string_view text,
                   Issues& issues, YamlDialect dialect = YamlDialect::kPolicy);

// `text` in double quotes for a message: control characters escaped, cut when
// longer than 60 bytes, so that a file cannot forge lines of output.
std::string Quote(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_TEXT_H_
