// From YAML to a protobuf message whose schema is the file format.
#ifndef MULLIGAN_POLICY_LOADER_YAML_READER_H_
#define MULLIGAN_POLICY_LOADER_YAML_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "policy/base/issue.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// Fills `message`, which must be empty, from `root` by reflection: a new field
// of the schema needs no code here. Keys are JSON names (camelCase), enums go
// by name, google.protobuf.Duration as "1m30s", map<> as a map,
// google.protobuf.Struct as any map. Every problem
// becomes an issue, none stops the reading. An unknown key or enum name that
// is near a known one is read as that, so that one slip of the pen is one
// issue.
//
// `positions` receives where each field stood: scalars and list elements at
// their value, everything else at its key.
//
// `foreign` tells how to read the map at a path that holds what another program
// defines, such as a pasted object: it may be of a newer version.
//
// Returns the paths of what a later check cannot judge.
enum class UnknownKeys {
  kRefuse,
  // Warn and pass over. Keys without a value and empty lists are left out, as
  // Kubernetes does.
  kWarn,
  // Pass over in silence.
  kIgnore,
};
using ForeignMaps = UnknownKeys (*)(std::string_view path);

// Paths as in SourceMap. What a later check misses there is a consequence, not
// a problem of its own.
struct DoubtfulPaths {
  // Fields and list elements whose value could not be read.
  std::vector<std::string> values;
  // Maps with a key that is not understood, and those around `values`.
  std::vector<std::string> maps;
};

DoubtfulPaths ReadYamlMessage(const YamlNode& root,
                              google::protobuf::Message& message,
                              SourceMap& positions, Issues& issues,
                              ForeignMaps foreign = nullptr);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_READER_H_
