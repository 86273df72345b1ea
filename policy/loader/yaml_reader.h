// Reading of YAML into a protobuf message, whose schema is the file format.
#ifndef MULLIGAN_POLICY_LOADER_YAML_READER_H_
#define MULLIGAN_POLICY_LOADER_YAML_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "policy/base/issue.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// What to do with keys that a message does not have.
enum class UnknownKeys {
  kRefuse,
  // Warn and skip. Like Kubernetes, omits keys without a value and empty lists.
  kWarn,
  // Skip silently.
  kIgnore,
};
using ForeignMaps = UnknownKeys (*)(std::string_view path);

// Paths as in SourceMap. Problems there follow from those reported.
struct DoubtfulPaths {
  // Fields and list elements whose value could not be read.
  std::vector<std::string> values;
  // Maps with an unknown key, and those around `values`.
  std::vector<std::string> maps;
};

// Fills `message` from `root` by reflection. Keys are JSON names (camelCase),
// enums are names, google.protobuf.Duration is "1m30s", map<> is a map,
// google.protobuf.Struct is any map. Every problem becomes an issue and none
// stops the reading. A misspelt key or enum name is read as the known one, so
// that one mistake is one issue.
// REQUIRES: `message` is empty.
//
// `positions` receives the position of each field: of the value for scalars and
// list elements, else of the key. `foreign` says how to read a map at a path if
// another, perhaps newer, program defines its keys, as in a pasted object.
//
// Returns the paths that later checks cannot judge.
DoubtfulPaths ReadYamlMessage(const YamlNode& root,
                              google::protobuf::Message& message,
                              SourceMap& positions, Issues& issues,
                              ForeignMaps foreign = nullptr);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_READER_H_
