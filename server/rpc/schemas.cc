#include "server/rpc/schemas.h"

#include <cstddef>
#include <set>

#include "proto/embedded_schemas.h"

namespace mulligan {

const Schemas& Schemas::Get() {
  static const Schemas* const schemas = new Schemas();
  return *schemas;
}

Schemas::Schemas() {
  google::protobuf::FileDescriptorSet set;
  set.ParseFromArray(mulligan_schemas,
                     static_cast<int>(mulligan_schemas_end - mulligan_schemas));
  // Imports come before the files that use them.
  for (google::protobuf::FileDescriptorProto& file : *set.mutable_file()) {
    pool_.BuildFile(file);
    files_[file.name()].Swap(&file);
  }
}

std::vector<std::string> Schemas::File(const std::string& name) const {
  std::vector<std::string> found;
  std::vector<std::string> pending = {name};
  std::set<std::string> seen = {name};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto file = files_.find(pending[i]);
    if (file == files_.end()) continue;
    found.push_back(file->second.SerializeAsString());
    for (const std::string& import : file->second.dependency()) {
      if (seen.insert(import).second) pending.push_back(import);
    }
  }
  return found;
}

std::vector<std::string> Schemas::FileOf(const std::string& symbol) const {
  const google::protobuf::FileDescriptor* const file =
      pool_.FindFileContainingSymbol(symbol);
  return file == nullptr ? std::vector<std::string>() : File(file->name());
}

}  // namespace mulligan
