#include "policy/base/message_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::TimeUtil;

void AppendJsonCharacter(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    absl::StrAppendFormat(&out, "\\u%04x", byte);
  } else {
    out += c;
  }
}

bool NeedsEscape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\';
}

// Skips escaping for the common case of plain text.
void AppendText(std::string_view text, std::string& out) {
  if (std::ranges::any_of(text, NeedsEscape)) {
    return AppendJsonString(text, out);
  }
  out += '"';
  out += text;
  out += '"';
}

template <typename Number>
void AppendNumber(Number value, std::string& out) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out.append(buffer, end.ptr);
}

// JSON readers parse numbers as doubles, so 64-bit numbers are strings.
template <typename Number>
void AppendQuoted(Number value, std::string& out) {
  out += '"';
  AppendNumber(value, out);
  out += '"';
}

template <typename Real>
void AppendReal(Real value, std::string& out) {
  if (std::isfinite(value)) return AppendNumber(value, out);
  out += std::isnan(value) ? "\"NaN\""
         : value > 0       ? "\"Infinity\""
                           : "\"-Infinity\"";
}

// Prints one value of a field. The index is -1 unless the field is repeated.
class FieldPrinter {
 public:
  FieldPrinter(const Message& message, const FieldDescriptor& field,
               std::string& out)
      : message_(message),
        reflection_(*message.GetReflection()),
        field_(field),
        out_(out) {}

  bool Print(int index) const {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        AppendNumber(
            Get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_UINT32:
        AppendNumber(
            Get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_INT64:
        AppendQuoted(
            Get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_UINT64:
        AppendQuoted(
            Get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        AppendReal(
            Get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_FLOAT:
        AppendReal(
            Get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat, index),
            out_);
        return true;
      case FieldDescriptor::CPPTYPE_BOOL:
        out_ += Get(&Reflection::GetBool, &Reflection::GetRepeatedBool, index)
                    ? "true"
                    : "false";
        return true;
      case FieldDescriptor::CPPTYPE_ENUM:
        PrintEnum(Get(&Reflection::GetEnumValue,
                      &Reflection::GetRepeatedEnumValue, index));
        return true;
      case FieldDescriptor::CPPTYPE_STRING:
        PrintString(index);
        return true;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return AppendMessageJson(
            index < 0
                ? reflection_.GetMessage(message_, &field_)
                : reflection_.GetRepeatedMessage(message_, &field_, index),
            out_);
    }
    return false;
  }

 private:
  template <typename T>
  T Get(T (Reflection::*single)(const Message&, const FieldDescriptor*) const,
        T (Reflection::*repeated)(const Message&, const FieldDescriptor*, int)
            const,
        int index) const {
    return index < 0 ? (reflection_.*single)(message_, &field_)
                     : (reflection_.*repeated)(message_, &field_, index);
  }

  void PrintEnum(int number) const {
    const auto* value = field_.enum_type()->FindValueByNumber(number);
    if (value == nullptr) return AppendNumber(number, out_);
    AppendText(value->name(), out_);
  }

  void PrintString(int index) const {
    std::string scratch;
    const std::string& text =
        index < 0 ? reflection_.GetStringReference(message_, &field_, &scratch)
                  : reflection_.GetRepeatedStringReference(message_, &field_,
                                                           index, &scratch);
    if (field_.type() == FieldDescriptor::TYPE_BYTES) {
      AppendText(absl::Base64Escape(text), out_);
    } else {
      AppendText(text, out_);
    }
  }

  const Message& message_;
  const Reflection& reflection_;
  const FieldDescriptor& field_;
  std::string& out_;
};

bool AppendList(const Message& message, const FieldDescriptor& field,
                std::string& out) {
  const FieldPrinter printer(message, field, out);
  const int size = message.GetReflection()->FieldSize(message, &field);
  out += '[';
  for (int i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    if (!printer.Print(i)) return false;
  }
  out += ']';
  return true;
}

// JSON keys are always strings.
std::string KeyOf(const Message& entry) {
  std::string key;
  const FieldDescriptor& field = *entry.GetDescriptor()->map_key();
  FieldPrinter(entry, field, key).Print(-1);
  return key.front() == '"' ? key : "\"" + key + "\"";
}

bool AppendMap(const Message& message, const FieldDescriptor& field,
               std::string& out) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<std::pair<std::string, const Message*>> entries;
  const int size = reflection.FieldSize(message, &field);
  entries.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    entries.emplace_back(KeyOf(entry), &entry);
  }
  std::ranges::sort(entries);
  out += '{';
  for (const auto& [key, entry] : entries) {
    if (out.back() != '{') out += ',';
    out += key;
    out += ':';
    const FieldDescriptor& value = *entry->GetDescriptor()->map_value();
    if (!FieldPrinter(*entry, value, out).Print(-1)) return false;
  }
  out += '}';
  return true;
}

bool AppendTime(const Message& message, std::string& out) {
  const auto& time = static_cast<const google::protobuf::Timestamp&>(message);
  if (!IsValidTime(time)) return false;
  AppendText(TimeUtil::ToString(time), out);
  return true;
}

bool AppendDuration(const Message& message, std::string& out) {
  const auto& duration =
      static_cast<const google::protobuf::Duration&>(message);
  if (!IsValidDuration(duration)) return false;
  AppendText(TimeUtil::ToString(duration), out);
  return true;
}

// Resource amounts are strings or numbers; other values are rare.
bool AppendAmount(const Message& message, std::string& out) {
  const auto& value = static_cast<const google::protobuf::Value&>(message);
  if (value.has_string_value()) {
    AppendJsonString(value.string_value(), out);
    return true;
  }
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json).ok()) {
    return false;
  }
  out += json;
  return true;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : SanitizeUtf8(text)) AppendJsonCharacter(c, out);
  out += '"';
}

bool AppendMessageJson(const Message& message, std::string& out) {
  const Descriptor* type = message.GetDescriptor();
  if (type == google::protobuf::Timestamp::descriptor()) {
    return AppendTime(message, out);
  }
  if (type == google::protobuf::Duration::descriptor()) {
    return AppendDuration(message, out);
  }
  if (type == google::protobuf::Value::descriptor()) {
    return AppendAmount(message, out);
  }
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  out += '{';
  bool first = true;
  for (const FieldDescriptor* field : fields) {
    if (!first) out += ',';
    first = false;
    out += '"';
    out += field->json_name();
    out += "\":";
    const bool printed = field->is_map() ? AppendMap(message, *field, out)
                         : field->is_repeated()
                             ? AppendList(message, *field, out)
                             : FieldPrinter(message, *field, out).Print(-1);
    if (!printed) return false;
  }
  out += '}';
  return true;
}

const FieldDescriptor* FieldNamed(const Descriptor& type,
                                  std::string_view name) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.json_name() == name || field.name() == name) return &field;
  }
  return nullptr;
}

std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace mulligan
