// Conversion of a YAML scalar to a field, and descriptions of fields.
#ifndef MULLIGAN_POLICY_LOADER_YAML_FIELD_H_
#define MULLIGAN_POLICY_LOADER_YAML_FIELD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// Returns whether `field` is written as a scalar: all types except messages,
// and google.protobuf.Duration.
bool IsScalarField(const google::protobuf::FieldDescriptor& field);

// Sets `field`, or appends to it if repeated, from the scalar `node`. On an
// error the field is unchanged, except that a misspelt enum name sets the known
// one.
absl::Status StoreScalar(const YamlNode& node,
                         const google::protobuf::FieldDescriptor& field,
                         google::protobuf::Message& message);

// Describes a value of `field`: "a whole number", "a map with the keys a, b".
// `element`: describes one element of a repeated field.
std::string ExpectedForm(const google::protobuf::FieldDescriptor& field,
                         bool element);

// Returns the JSON names of the fields of `type`, in schema order.
std::vector<std::string> KeysOf(const google::protobuf::Descriptor& type);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_FIELD_H_
