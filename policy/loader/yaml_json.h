// Conversion of YAML to JSON, as Kubernetes does it.
#ifndef MULLIGAN_POLICY_LOADER_YAML_JSON_H_
#define MULLIGAN_POLICY_LOADER_YAML_JSON_H_

#include <string>

#include "policy/base/issue.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// Appends `node` to `json`. Plain scalars follow the core schema of YAML 1.2
// (null, true, false, integers, floats, 0x and 0o). Everything else, including
// all quoted scalars, stays a string: timestamps, "yes", and digits with a
// leading zero, which YAML versions read differently.
//
// Adds an issue, without a file, for duplicate keys, keys that are not scalars,
// merge keys, and nesting beyond kMaxAnyYamlDepth, which aliases may cause.
// Leaves out the values concerned.
void AppendYamlAsJson(const YamlNode& node, Issues& issues, std::string& json);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_JSON_H_
