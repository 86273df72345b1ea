// Any YAML map as a google.protobuf.Struct.
#ifndef MULLIGAN_POLICY_LOADER_YAML_STRUCT_H_
#define MULLIGAN_POLICY_LOADER_YAML_STRUCT_H_

#include "google/protobuf/struct.pb.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// What `map` holds, read as Kubernetes reads it: scalars by the core schema of
// YAML 1.2 (quoted ones are strings, so are `yes` and digits with a leading
// zero). Of keys given twice the first counts.
google::protobuf::Struct ReadStruct(const YamlNode& map);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_STRUCT_H_
