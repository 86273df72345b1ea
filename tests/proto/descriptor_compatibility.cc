#include "tests/proto/descriptor_compatibility.h"

#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::DescriptorProto;
using ::google::protobuf::EnumDescriptorProto;
using ::google::protobuf::FieldDescriptorProto;
using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::FileDescriptorSet;
using ::google::protobuf::MethodDescriptorProto;
using ::google::protobuf::ServiceDescriptorProto;

using Problems = std::vector<std::string>;

// Every element of a set by its full name, wherever it is declared. The syntax
// is that of the declaring file: it decides about UTF-8 checks and open enums.
struct Index {
  std::map<std::string, std::pair<const DescriptorProto*, std::string>>
      messages;
  std::map<std::string, std::pair<const EnumDescriptorProto*, std::string>>
      enums;
  std::map<std::string, const ServiceDescriptorProto*> services;
};

std::string Join(std::string_view scope, const std::string& name) {
  return scope.empty() ? name : absl::StrFormat("%s.%s", scope, name);
}

void AddMessage(const DescriptorProto& message, std::string_view scope,
                const std::string& syntax, Index& index) {
  const std::string name = Join(scope, message.name());
  index.messages[name] = {&message, syntax};
  for (const DescriptorProto& nested : message.nested_type()) {
    AddMessage(nested, name, syntax, index);
  }
  for (const EnumDescriptorProto& nested : message.enum_type()) {
    index.enums[Join(name, nested.name())] = {&nested, syntax};
  }
}

Index IndexOf(const FileDescriptorSet& set) {
  Index index;
  for (const FileDescriptorProto& file : set.file()) {
    const std::string syntax = file.has_syntax() ? file.syntax() : "proto2";
    for (const DescriptorProto& message : file.message_type()) {
      AddMessage(message, file.package(), syntax, index);
    }
    for (const EnumDescriptorProto& type : file.enum_type()) {
      index.enums[Join(file.package(), type.name())] = {&type, syntax};
    }
    for (const ServiceDescriptorProto& service : file.service()) {
      index.services[Join(file.package(), service.name())] = &service;
    }
  }
  return index;
}

void CompareValue(const std::string& element, std::string_view what,
                  const std::string& before, const std::string& after,
                  Problems& problems) {
  if (before == after) return;
  problems.push_back(absl::StrFormat("%s: %s changed from '%s' to '%s'",
                                     element, what, before, after));
}

std::string TypeOf(const FieldDescriptorProto& field) {
  return absl::StrCat(FieldDescriptorProto::Type_Name(field.type()),
                      field.type_name().empty() ? "" : " ", field.type_name());
}

// The oneof a user wrote; the ones protoc makes up for `optional` in proto3
// show as "optional", since they carry presence.
std::string OneofOf(const DescriptorProto& message,
                    const FieldDescriptorProto& field) {
  if (field.proto3_optional()) return "optional";
  if (!field.has_oneof_index()) return "none";
  return message.oneof_decl(field.oneof_index()).name();
}

void CompareFields(const std::string& name, const DescriptorProto& before,
                   const DescriptorProto& after, Problems& problems) {
  std::map<int, const FieldDescriptorProto*> by_number;
  for (const FieldDescriptorProto& field : after.field()) {
    by_number[field.number()] = &field;
  }
  for (const FieldDescriptorProto& field : before.field()) {
    const std::string element = Join(name, field.name());
    const auto found = by_number.find(field.number());
    if (found == by_number.end()) {
      problems.push_back(
          absl::StrFormat("%s: field number %d is gone (removed or renumbered)",
                          element, field.number()));
      continue;
    }
    const FieldDescriptorProto& now = *found->second;
    CompareValue(element, "type", TypeOf(field), TypeOf(now), problems);
    CompareValue(element, "label",
                 FieldDescriptorProto::Label_Name(field.label()),
                 FieldDescriptorProto::Label_Name(now.label()), problems);
    CompareValue(element, "JSON name", field.json_name(), now.json_name(),
                 problems);
    CompareValue(element, "oneof", OneofOf(before, field), OneofOf(after, now),
                 problems);
  }
}

void CompareEnums(const std::string& name, const EnumDescriptorProto& before,
                  const EnumDescriptorProto& after, Problems& problems) {
  std::map<std::string, int> numbers;
  for (const auto& value : after.value()) {
    numbers[value.name()] = value.number();
  }
  for (const auto& value : before.value()) {
    const std::string element = Join(name, value.name());
    const auto found = numbers.find(value.name());
    if (found == numbers.end()) {
      problems.push_back(absl::StrFormat("%s: enum value is gone", element));
    } else {
      CompareValue(element, "number", absl::StrCat(value.number()),
                   absl::StrCat(found->second), problems);
    }
  }
}

std::string SignatureOf(const MethodDescriptorProto& method) {
  return absl::StrCat(
      method.client_streaming() ? "stream " : "", method.input_type(), " -> ",
      method.server_streaming() ? "stream " : "", method.output_type());
}

void CompareServices(const std::string& name,
                     const ServiceDescriptorProto& before,
                     const ServiceDescriptorProto& after, Problems& problems) {
  std::map<std::string, std::string> signatures;
  for (const MethodDescriptorProto& method : after.method()) {
    signatures[method.name()] = SignatureOf(method);
  }
  for (const MethodDescriptorProto& method : before.method()) {
    const std::string element = Join(name, method.name());
    const auto found = signatures.find(method.name());
    if (found == signatures.end()) {
      problems.push_back(absl::StrFormat("%s: method is gone", element));
    } else {
      CompareValue(element, "signature", SignatureOf(method), found->second,
                   problems);
    }
  }
}

}  // namespace

std::vector<std::string> IncompatibleChanges(const FileDescriptorSet& before,
                                             const FileDescriptorSet& after) {
  Problems problems;
  const Index old_index = IndexOf(before);
  const Index new_index = IndexOf(after);
  for (const auto& [name, entry] : old_index.messages) {
    const auto found = new_index.messages.find(name);
    if (found == new_index.messages.end()) {
      problems.push_back(absl::StrFormat("%s: message is gone", name));
      continue;
    }
    CompareValue(name, "syntax", entry.second, found->second.second, problems);
    CompareFields(name, *entry.first, *found->second.first, problems);
  }
  for (const auto& [name, entry] : old_index.enums) {
    const auto found = new_index.enums.find(name);
    if (found == new_index.enums.end()) {
      problems.push_back(absl::StrFormat("%s: enum is gone", name));
      continue;
    }
    CompareValue(name, "syntax", entry.second, found->second.second, problems);
    CompareEnums(name, *entry.first, *found->second.first, problems);
  }
  for (const auto& [name, service] : old_index.services) {
    const auto found = new_index.services.find(name);
    if (found == new_index.services.end()) {
      problems.push_back(absl::StrFormat("%s: service is gone", name));
      continue;
    }
    CompareServices(name, *service, *found->second, problems);
  }
  return problems;
}

}  // namespace mulligan::testing
