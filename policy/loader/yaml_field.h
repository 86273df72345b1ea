// From a YAML scalar to the field of a message, and what a field looks like.
#ifndef MULLIGAN_POLICY_LOADER_YAML_FIELD_H_
#define MULLIGAN_POLICY_LOADER_YAML_FIELD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// Whether values of `field` are written as one scalar: all types but messages,
// and google.protobuf.Duration.
bool IsScalarField(const google::protobuf::FieldDescriptor& field);

// Sets `field` (or appends to it when repeated) from the scalar `node`. On an
// error the field is unchanged, but for an enum name near a known one: that
// one is set.
absl::Status StoreScalar(const YamlNode& node,
                         const google::protobuf::FieldDescriptor& field,
                         google::protobuf::Message& message);

// What a value of `field` looks like: "a whole number", "a map with the keys
// a, b", ... `element` describes one element of a repeated field.
std::string ExpectedForm(const google::protobuf::FieldDescriptor& field,
                         bool element);

// The JSON names of the fields of `type`, in schema order.
std::vector<std::string> KeysOf(const google::protobuf::Descriptor& type);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_FIELD_H_
