// The schemas as they were written, comments included: what reflection shows.
// (Descriptors in generated code have lost their comments.)
#ifndef MULLIGAN_SERVER_RPC_SCHEMAS_H_
#define MULLIGAN_SERVER_RPC_SCHEMAS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// Read once, at the first question; about 2 MiB from then on. Thread safe.
class Schemas {
 public:
  static const Schemas& Get();

  // The named file and all that it imports, itself first, each a serialized
  // FileDescriptorProto; empty: there is none.
  std::vector<std::string> File(const std::string& name) const;
  // The same for the file that defines a fully qualified symbol.
  std::vector<std::string> FileOf(const std::string& symbol) const;

 private:
  Schemas();

  std::map<std::string, google::protobuf::FileDescriptorProto> files_;
  google::protobuf::DescriptorPool pool_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_SCHEMAS_H_
