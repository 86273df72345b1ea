// Messages and proto JSON.
#ifndef MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_
#define MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "google/protobuf/message.h"

namespace mulligan::cli {

// Fills `message`, which must be empty, from a JSON object that CheckJsonValue
// accepted. Unknown fields and, because protobuf treats them so, unknown enum
// names are ignored (see FindUnknownEnumNames); a field given by both of its
// names is an error. INVALID_ARGUMENT names field, value and expected form:
// `status.startTime: "noon" is not a timestamp ...`.
absl::Status ParseProtoJson(std::string_view json,
                            google::protobuf::Message& message);

// Whether the object `json` has at least one member that a message of `type`
// takes; tells a wrong file from one with unknown fields.
bool NamesFieldOf(std::string_view json,
                  const google::protobuf::Descriptor& type);

// `message` as JSON on one line, without a line break. Unset fields are left
// out. INTERNAL when the message holds what JSON cannot, such as a time out of
// range.
absl::StatusOr<std::string> PrintCompactJson(
    const google::protobuf::Message& message);

// The same over many lines, for people: YAML for kYaml, else JSON.
absl::StatusOr<std::string> PrintProtoAs(
    OutputFormat format, const google::protobuf::Message& message);

// What ParseProtoJson checks of members that stand for messages, where
// protobuf's parser takes the last of two, or tells no field.
//
// INVALID_ARGUMENT for a field that is given by both of its names, and for
// lists and maps that are none or hold something else than the values they are
// of. `json` must be a value that CheckJsonValue accepted.
absl::Status CheckProtoMembers(std::string_view json,
                               const google::protobuf::Descriptor& type);

// The path and text of the first number that no double holds; empty when there
// is none.
std::string FindHugeNumber(std::string_view json, const std::string& path = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_
