// Members of JSON objects that stand for messages, where protobuf's parser
// takes the last of two, or tells no field.
#ifndef MULLIGAN_CLIENT_CLI_BASE_PROTO_MEMBERS_H_
#define MULLIGAN_CLIENT_CLI_BASE_PROTO_MEMBERS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"

namespace mulligan::cli {

// INVALID_ARGUMENT for a field that is given by both of its names, and for
// lists and maps that are none or hold something else than the values they are
// of. `json` must be a value that CheckJsonValue accepted.
absl::Status CheckProtoMembers(std::string_view json,
                               const google::protobuf::Descriptor& type);

// The path and text of the first number that no double holds; empty when there
// is none.
std::string FindHugeNumber(std::string_view json, const std::string& path = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_PROTO_MEMBERS_H_
