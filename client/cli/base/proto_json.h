// Protobuf messages from and to JSON.
#ifndef MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_
#define MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/base/command.h"
#include "google/protobuf/message.h"

namespace mulligan::cli {

// Fills `message` from a JSON object. Ignores unknown fields and, as protobuf
// does, unknown enum names; adds a sentence about each of the latter to
// `ignored` unless it is null, at most 20. A field given by both of its names
// is an error. INVALID_ARGUMENT names the field, its value and the expected
// form: `status.startTime: "noon" is not a timestamp ...`.
//
// REQUIRES: `message` is empty, and CheckJsonValue accepts `json`.
absl::Status ParseProtoJson(std::string_view json,
                            google::protobuf::Message& message,
                            std::vector<std::string>* ignored = nullptr);

// Returns whether the object `json` has at least one field of `type`. This
// separates a wrong file from one with unknown fields.
bool NamesFieldOf(std::string_view json,
                  const google::protobuf::Descriptor& type);

// Returns `message` as JSON on one line, without a line break and unset fields.
// INTERNAL if JSON cannot hold a value, such as a time out of range.
absl::StatusOr<std::string> PrintCompactJson(
    const google::protobuf::Message& message);

// Returns `message` on many lines for people: YAML for kYaml, else JSON.
absl::StatusOr<std::string> PrintProtoAs(
    OutputFormat format, const google::protobuf::Message& message);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_PROTO_JSON_H_
