// Whether schemas are documented.
#ifndef MULLIGAN_TESTS_PROTO_COMMENTS_H_
#define MULLIGAN_TESTS_PROTO_COMMENTS_H_

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::testing {

struct CommentReport {
  std::vector<std::string> uncommented;  // full names
  int elements = 0;                      // looked at
};

// The messages, fields, enums, enum values, services and methods that have
// neither a leading nor a trailing comment, in those files of `set` whose name
// begins with `prefix`. `set` must hold all imports and the source info of
// `protoc --include_source_info`; a set that does not build fails the test.
CommentReport FindUncommented(const google::protobuf::FileDescriptorSet& set,
                              std::string_view prefix);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_PROTO_COMMENTS_H_
