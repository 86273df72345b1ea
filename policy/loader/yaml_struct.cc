#include "policy/loader/yaml_struct.h"

#include <string>

#include "absl/strings/numbers.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;

// A number as JSON writes it, or with a plus sign.
bool IsNumber(const std::string& text) {
  static const re2::RE2* const kNumber =
      new re2::RE2(R"([-+]?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?)");
  return re2::RE2::FullMatch(text, *kNumber);
}

Value ReadPlain(const YamlNode& node) {
  Value value;
  double number = 0;
  if (node.quoted) {
    value.set_string_value(node.text);
  } else if (node.text == "true" || node.text == "false") {
    value.set_bool_value(node.text == "true");
  } else if (IsNumber(node.text) && absl::SimpleAtod(node.text, &number)) {
    value.set_number_value(number);
  } else {
    value.set_string_value(node.text);
  }
  return value;
}

Value ReadValue(const YamlNode& node) {
  Value value;
  switch (node.kind) {
    case YamlNode::Kind::kScalar:
      return ReadPlain(node);
    case YamlNode::Kind::kList:
      value.mutable_list_value();
      for (const YamlNode& item : node.items) {
        *value.mutable_list_value()->add_values() = ReadValue(item);
      }
      return value;
    case YamlNode::Kind::kMap:
      *value.mutable_struct_value() = ReadStruct(node);
      return value;
    case YamlNode::Kind::kNull:
    case YamlNode::Kind::kHole:
      break;
  }
  value.set_null_value(google::protobuf::NULL_VALUE);
  return value;
}

}  // namespace

Struct ReadStruct(const YamlNode& map) {
  Struct read;
  for (const auto& [key, value] : map.entries) {
    if (read.fields().contains(key.text)) continue;
    (*read.mutable_fields())[key.text] = ReadValue(value);
  }
  return read;
}

}  // namespace mulligan
