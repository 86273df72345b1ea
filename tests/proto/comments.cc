#include "tests/proto/comments.h"

#include <google/protobuf/descriptor.h>

#include "gtest/gtest.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::DescriptorPool;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FileDescriptor;
using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::FileDescriptorSet;
using ::google::protobuf::ServiceDescriptor;
using ::google::protobuf::SourceLocation;

template <typename Element>
void Check(const Element& element, CommentReport& report) {
  ++report.elements;
  SourceLocation location;
  const bool found = element.GetSourceLocation(&location);
  if (!found || (location.leading_comments + location.trailing_comments)
                        .find_first_not_of(" \t\r\n") == std::string::npos) {
    report.uncommented.push_back(element.full_name());
  }
}

void CheckEnum(const EnumDescriptor& type, CommentReport& report) {
  Check(type, report);
  for (int i = 0; i < type.value_count(); ++i) Check(*type.value(i), report);
}

void CheckMessage(const Descriptor& message, CommentReport& report) {
  if (message.options().map_entry()) return;  // made up by protoc
  Check(message, report);
  for (int i = 0; i < message.field_count(); ++i) {
    Check(*message.field(i), report);
  }
  for (int i = 0; i < message.nested_type_count(); ++i) {
    CheckMessage(*message.nested_type(i), report);
  }
  for (int i = 0; i < message.enum_type_count(); ++i) {
    CheckEnum(*message.enum_type(i), report);
  }
}

void CheckService(const ServiceDescriptor& service, CommentReport& report) {
  Check(service, report);
  for (int i = 0; i < service.method_count(); ++i) {
    Check(*service.method(i), report);
  }
}

void CheckFile(const FileDescriptor& file, CommentReport& report) {
  for (int i = 0; i < file.message_type_count(); ++i) {
    CheckMessage(*file.message_type(i), report);
  }
  for (int i = 0; i < file.enum_type_count(); ++i) {
    CheckEnum(*file.enum_type(i), report);
  }
  for (int i = 0; i < file.service_count(); ++i) {
    CheckService(*file.service(i), report);
  }
}

}  // namespace

CommentReport FindUncommented(const FileDescriptorSet& set,
                              std::string_view prefix) {
  CommentReport report;
  DescriptorPool pool;
  for (const FileDescriptorProto& proto : set.file()) {
    const FileDescriptor* file = pool.BuildFile(proto);
    if (file == nullptr) {
      ADD_FAILURE() << proto.name() << " does not build";
      return report;
    }
    if (std::string_view(proto.name()).substr(0, prefix.size()) == prefix) {
      CheckFile(*file, report);
    }
  }
  return report;
}

}  // namespace mulligan::testing
