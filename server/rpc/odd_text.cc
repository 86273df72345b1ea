#include "server/rpc/odd_text.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "policy/base/utf8.h"

namespace mulligan {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void RepairField(const FieldDescriptor& field, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    reflection.SetString(&message, &field,
                         SanitizeUtf8(reflection.GetString(message, &field)));
    return;
  }
  const int size = reflection.FieldSize(message, &field);
  for (int i = 0; i < size; ++i) {
    reflection.SetRepeatedString(
        &message, &field, i,
        SanitizeUtf8(reflection.GetRepeatedString(message, &field, i)));
  }
}

void RepairMembers(const FieldDescriptor& field, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    return RepairTexts(*reflection.MutableMessage(&message, &field));
  }
  const int size = reflection.FieldSize(message, &field);
  for (int i = 0; i < size; ++i) {
    RepairTexts(*reflection.MutableRepeatedMessage(&message, &field, i));
  }
}

}  // namespace

void RepairTexts(Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      RepairField(*field, message);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      // A map's entry is a message of its key and value.
      RepairMembers(*field, message);
    }
  }
}

}  // namespace mulligan
