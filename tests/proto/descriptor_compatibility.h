// Which changes of the schemas break bytes, JSON or stubs in use.
#ifndef MULLIGAN_TESTS_PROTO_DESCRIPTOR_COMPATIBILITY_H_
#define MULLIGAN_TESTS_PROTO_DESCRIPTOR_COMPATIBILITY_H_

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <vector>

namespace mulligan::testing {

// One line for every element of `before` that `after` lacks or has otherwise:
// messages, fields (number, type, label, JSON name, presence, oneof), enums and
// their values (name and number), services, methods and their types, and the
// syntax of files. Additions are fine; so are moves between files and renames
// of a field that keep its number and JSON name. Lines name the element in
// full. Empty means compatible.
std::vector<std::string> IncompatibleChanges(
    const google::protobuf::FileDescriptorSet& before,
    const google::protobuf::FileDescriptorSet& after);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_PROTO_DESCRIPTOR_COMPATIBILITY_H_
