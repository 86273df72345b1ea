
#include "policy/loader/yaml_field.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/struct.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "policy/loader/suggest.h"
#include "policy/loader/yaml_scalar.h"
#include "policy/loader/yaml_text.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::Duration;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::EnumValueDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

// Longer lists do not help.
constexpr int kMaxNamesListed = 12;

bool IsDuration(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type() == Duration::descriptor();
}

// Excludes zero, which means "not given" and cannot be written.
std::vector<std::string> NamesOf(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) names.push_back(type.value(i)->name());
  }
  return names;
}

std::string NamesSentence(const EnumDescriptor& type) {
  const std::vector<std::string> names = NamesOf(type);
  if (type.value_count() > kMaxNamesListed + 1) {
    return absl::StrFormat("one of the %d names of %s", names.size(),
                           type.name());
  }
  return absl::StrFormat("one of %s", absl::StrJoin(names, ", "));
}

// Calls the setter or adder of the field's type if `value` is valid.
template <typename T, typename Value>
absl::Status Put(
    absl::StatusOr<T> value, const FieldDescriptor& field, Message& message,
    void (Reflection::*set)(Message*, const FieldDescriptor*, Value) const,
    void (Reflection::*add)(Message*, const FieldDescriptor*, Value) const) {
  if (!value.ok()) return value.status();
  const Reflection& reflection = *message.GetReflection();
  const auto store = field.is_repeated() ? add : set;
  (reflection.*store)(&message, &field, static_cast<Value>(*std::move(value)));
  return absl::OkStatus();
}

// Resource amounts are strings or numbers and kept as written.
bool IsAmount(const FieldDescriptor& field) {
  return field.message_type() == google::protobuf::Value::descriptor();
}

absl::Status StoreAmount(const YamlNode& node, const FieldDescriptor& field,
                         Message& message) {
  auto& amount = static_cast<google::protobuf::Value&>(
      *message.GetReflection()->MutableMessage(&message, &field));
  amount.set_string_value(node.text);
  return absl::OkStatus();
}

absl::Status StoreDuration(const YamlNode& node, const FieldDescriptor& field,
                           Message& message) {
  absl::StatusOr<Duration> value = ReadDuration(node);
  if (!value.ok()) return value.status();
  const Reflection& reflection = *message.GetReflection();
  Message* const target = field.is_repeated()
                              ? reflection.AddMessage(&message, &field)
                              : reflection.MutableMessage(&message, &field);
  target->CopyFrom(*value);
  return absl::OkStatus();
}

absl::Status StoreEnum(const YamlNode& node, const FieldDescriptor& field,
                       Message& message) {
  const EnumDescriptor& type = *field.enum_type();
  const EnumValueDescriptor* value = type.FindValueByName(node.text);
  absl::Status status;
  if (value == nullptr || value->number() == 0) {
    std::string nearest;
    if (&type == v1::Cause_descriptor()) nearest = CauseOfReason(node.text);
    if (nearest.empty()) nearest = Nearest(node.text, NamesOf(type));
    value = type.FindValueByName(nearest);
    std::string problem =
        absl::StrFormat("%s is not %s", Quote(node.text), NamesSentence(type));
    if (value != nullptr) {
      problem += absl::StrFormat(", did you mean %s?", nearest);
    }
    status = absl::InvalidArgumentError(problem);
  }
  if (value == nullptr) return status;
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    reflection.AddEnum(&message, &field, value);
  } else {
    reflection.SetEnum(&message, &field, value);
  }
  return status;
}

}  // namespace

bool IsScalarField(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
         IsDuration(field) || IsAmount(field);
}

absl::Status StoreScalar(const YamlNode& node, const FieldDescriptor& field,
                         Message& message) {
  using R = Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Put(ReadInteger(node, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max()),
                 field, message, &R::SetInt32, &R::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return Put(ReadInteger(node, std::numeric_limits<int64_t>::min(),
                             std::numeric_limits<int64_t>::max()),
                 field, message, &R::SetInt64, &R::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Put(ReadUnsigned(node, std::numeric_limits<uint32_t>::max()),
                 field, message, &R::SetUInt32, &R::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Put(ReadUnsigned(node, std::numeric_limits<uint64_t>::max()),
                 field, message, &R::SetUInt64, &R::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Put(ReadDouble(node), field, message, &R::SetDouble,
                 &R::AddDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Put(ReadDouble(node), field, message, &R::SetFloat, &R::AddFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Put(ReadBool(node), field, message, &R::SetBool, &R::AddBool);
    case FieldDescriptor::CPPTYPE_STRING:
      return Put(ReadString(node), field, message, &R::SetString,
                 &R::AddString);
    case FieldDescriptor::CPPTYPE_ENUM:
      return StoreEnum(node, field, message);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return IsAmount(field) ? StoreAmount(node, field, message)
                             : StoreDuration(node, field, message);
  }
  return absl::InternalError("field of unknown type");
}

std::string ExpectedForm(const FieldDescriptor& field, bool element) {
  if (field.is_map()) return "a map";
  if (field.is_repeated() && !element) return "a list";
  if (IsDuration(field)) return "a duration such as \"90s\"";
  if (IsAmount(field)) return "an amount such as 4Gi";
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_STRING:
      return "a string";
    case FieldDescriptor::CPPTYPE_ENUM:
      return NamesSentence(*field.enum_type());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (field.message_type() == google::protobuf::Struct::descriptor()) {
        return "a map";
      }
      return absl::StrFormat(
          "a map with keys among %s",
          absl::StrJoin(KeysOf(*field.message_type()), ", "));
    default:
      return "a whole number";
  }
}

std::vector<std::string> KeysOf(const Descriptor& type) {
  std::vector<std::string> keys;
  keys.reserve(static_cast<size_t>(type.field_count()));
  for (int i = 0; i < type.field_count(); ++i) {
    keys.push_back(type.field(i)->json_name());
  }
  return keys;
}

}  // namespace mulligan
