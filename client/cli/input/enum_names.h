// Enum names that protobuf's JSON parser would drop without a word.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_ENUM_NAMES_H_
#define MULLIGAN_CLIENT_CLI_INPUT_ENUM_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace mulligan::cli {

// One sentence per enum field of `json`, an object that stands for a message of
// type `type`, whose name does not exist: field, value and allowed names.
// `path` is put before the fields' paths. At most 20.
std::vector<std::string> FindUnknownEnumNames(
    std::string_view json, const google::protobuf::Descriptor& type,
    std::string_view path = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_ENUM_NAMES_H_
