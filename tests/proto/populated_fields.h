// Whether a message exercises its whole type.
#ifndef MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_
#define MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::testing {

// Paths, such as "status.conditions.reason", of the fields of `message` that
// are not set, in the order of the schema. Looks into set messages and into the
// first element of repeated ones and maps if their type's package begins with
// `package`; nothing is reported below a field that is unset itself.
std::vector<std::string> UnpopulatedFields(
    const google::protobuf::Message& message, std::string_view package);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_
