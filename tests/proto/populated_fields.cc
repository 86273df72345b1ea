#include "tests/proto/populated_fields.h"

#include <google/protobuf/descriptor.h>

namespace mulligan::testing {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

bool IsInside(const FieldDescriptor& field, std::string_view package) {
  const auto* type = field.message_type();
  return type != nullptr &&
         std::string_view(type->file()->package()).substr(0, package.size()) ==
             package;
}

void Collect(const Message& message, std::string_view package,
             const std::string& prefix, std::vector<std::string>& paths) {
  const Reflection& reflection = *message.GetReflection();
  const auto& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string path = prefix + field.name();
    const bool set = field.is_repeated()
                         ? reflection.FieldSize(message, &field) > 0
                         : reflection.HasField(message, &field);
    if (!set) {
      paths.push_back(path);
    } else if (IsInside(field, package)) {
      Collect(field.is_repeated()
                  ? reflection.GetRepeatedMessage(message, &field, 0)
                  : reflection.GetMessage(message, &field),
              package, path + ".", paths);
    }
  }
}

}  // namespace

std::vector<std::string> UnpopulatedFields(const Message& message,
                                           std::string_view package) {
  std::vector<std::string> paths;
  Collect(message, package, "", paths);
  return paths;
}

}  // namespace mulligan::testing
