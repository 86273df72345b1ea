#include "server/rpc/repair_utf8.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "policy/base/utf8.h"

namespace mulligan {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void ReplaceInStrings(const FieldDescriptor& field, Message& message) {
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

void ReplaceInMessages(const FieldDescriptor& field, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) {
    return ReplaceInvalidUtf8(*reflection.MutableMessage(&message, &field));
  }
  const int size = reflection.FieldSize(message, &field);
  for (int i = 0; i < size; ++i) {
    ReplaceInvalidUtf8(*reflection.MutableRepeatedMessage(&message, &field, i));
  }
}

}  // namespace

void ReplaceInvalidUtf8(Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      ReplaceInStrings(*field, message);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      // A map's entry is a message of its key and value.
      ReplaceInMessages(*field, message);
    }
  }
}

}  // namespace mulligan
