// The schemas with comments, for reflection. (Generated descriptors lack them.)
#ifndef MULLIGAN_SERVER_RPC_SCHEMAS_H_
#define MULLIGAN_SERVER_RPC_SCHEMAS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// Loaded at the first use; takes about 2 MiB from then on. Thread-safe.
class Schemas {
 public:
  static const Schemas& Get();

  // Returns the named file, then all its imports, as serialized
  // FileDescriptorProtos; empty if there is no such file.
  std::vector<std::string> File(const std::string& name) const;
  // Returns the same for the file that defines a fully qualified symbol.
  std::vector<std::string> FileOf(const std::string& symbol) const;

 private:
  Schemas();

  std::map<std::string, google::protobuf::FileDescriptorProto> files_;
  google::protobuf::DescriptorPool pool_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_SCHEMAS_H_
