// YAML as JSON: what Kubernetes makes of an object that it is given as YAML.
#ifndef MULLIGAN_POLICY_LOADER_YAML_JSON_H_
#define MULLIGAN_POLICY_LOADER_YAML_JSON_H_

#include <string>

#include "policy/base/issue.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// Appends `node` to `json`. Plain scalars follow the core schema of YAML 1.2
// (null, true, false, integers, floats, hexadecimal and octal with 0x and 0o);
// everything else, quoted scalars always, stays a string: timestamps, "yes",
// and digits with a leading zero, which YAML versions read differently.
//
// Adds an issue, without a file, for keys that an object has twice or that are
// no scalars, merge keys, and nesting beyond kMaxAnyYamlDepth, which aliases
// may add up to; what they are about is left out.
void AppendYamlAsJson(const YamlNode& node, Issues& issues, std::string& json);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_JSON_H_
