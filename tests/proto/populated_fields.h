// Fields of a message that a fixture leaves unset.
#ifndef MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_
#define MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::testing {

// Returns the paths of unset fields, such as "status.conditions.reason", in the
// order of the schema. Descends into set messages, and into the first element
// of repeated ones and maps, whose type's package begins with `package`.
std::vector<std::string> UnpopulatedFields(
    const google::protobuf::Message& message, std::string_view package);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_PROTO_POPULATED_FIELDS_H_
