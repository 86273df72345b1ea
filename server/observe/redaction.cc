#include "server/observe/redaction.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/base/message_json.h"

namespace mulligan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Blanks the field at the end of the path that starts with fields[depth].
void Blank(const std::vector<const FieldDescriptor*>& fields, std::size_t depth,
           Message& message) {
  const FieldDescriptor* field = fields[depth];
  const Reflection& reflection = *message.GetReflection();
  if (depth + 1 == fields.size()) return reflection.ClearField(&message, field);
  if (!field->is_repeated()) {
    if (!reflection.HasField(message, field)) return;
    return Blank(fields, depth + 1,
                 *reflection.MutableMessage(&message, field));
  }
  const int size = reflection.FieldSize(message, field);
  for (int i = 0; i < size; ++i) {
    Blank(fields, depth + 1,
          *reflection.MutableRepeatedMessage(&message, field, i));
  }
}

}  // namespace

absl::StatusOr<Redaction> Redaction::Of(const Descriptor& type,
                                        const std::vector<std::string>& paths) {
  Redaction redaction;
  for (const std::string& path : paths) {
    Path fields;
    const Descriptor* inside = &type;
    for (const std::string& name :
         std::vector<std::string>(absl::StrSplit(path, '.'))) {
      const FieldDescriptor* field =
          inside == nullptr ? nullptr : FieldNamed(*inside, name);
      if (field == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrFormat("\"%s\": %s has no field \"%s\"", path,
                            inside == nullptr ? fields.back()->full_name()
                                              : inside->full_name(),
                            name));
      }
      fields.push_back(field);
      // Keys of a map cannot be named here.
      inside = field->is_map() ? nullptr : field->message_type();
    }
    redaction.fields_.push_back(std::move(fields));
  }
  redaction.paths_ = paths;
  return redaction;
}

void Redaction::Apply(Message& message) const {
  for (const Path& path : fields_) Blank(path, 0, message);
}

}  // namespace mulligan
