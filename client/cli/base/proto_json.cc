#include "client/cli/base/proto_json.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver_util.h"
#include "policy/base/message_json.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kMaxShown = 64;
constexpr size_t kMaxIgnored = 20;

std::string Shown(std::string_view text) {
  return std::string(text.substr(0, kMaxShown));
}

std::string Join(const std::string& path, std::string_view name) {
  return path.empty() ? Shown(name)
                      : absl::StrFormat("%s.%s", path, Shown(name));
}

std::string Found(std::string_view json) {
  const JsonType type = TypeOfJson(json);
  return type == JsonType::kObject  ? "an object"
         : type == JsonType::kArray ? "a list"
                                    : Visible(Shown(json));
}

bool IsContainer(std::string_view json) {
  const JsonType type = TypeOfJson(json);
  return type == JsonType::kObject || type == JsonType::kArray;
}

std::string_view TypeName(const FieldDescriptor& field) {
  return field.message_type() == nullptr ? std::string_view()
                                         : field.message_type()->full_name();
}

// Returns the form of a value of the field.
std::string_view FormOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return "a 32-bit integer";
    case FieldDescriptor::CPPTYPE_INT64:
      return "a 64-bit integer";
    case FieldDescriptor::CPPTYPE_UINT32:
      return "an unsigned 32-bit integer";
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_STRING:
      return "a string";
    case FieldDescriptor::CPPTYPE_ENUM:
      return "a name or number of this enumeration";
    default:
      return TypeName(field) == "google.protobuf.Timestamp"
                 ? "a timestamp such as \"2026-01-31T08:00:00Z\""
             : TypeName(field) == "google.protobuf.Duration"
                 ? "a duration such as \"30s\""
                 : "an object";
  }
}

std::string NamesOf(const EnumDescriptor& type) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() == 0) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", type.value(i)->name());
  }
  return names;
}

auto Parse(std::string_view json, Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  return google::protobuf::util::JsonStringToMessage({json.data(), json.size()},
                                                     &message, options);
}

// Checks JSON against the fields of a message: what protobuf accepts silently,
// or reports without the field.
class MemberChecker {
 public:
  // Adds a sentence to `ignored`, unless null, for each unknown enum name. With
  // `each_value`, also finds the first value that protobuf refuses. That is
  // slow, because protobuf parses each level that holds one again.
  MemberChecker(bool each_value, std::vector<std::string>* ignored)
      : each_value_(each_value), ignored_(ignored) {}

  absl::Status Object(std::string_view json, const Descriptor& type,
                      const std::string& path) {
    const std::vector<JsonMember> members = JsonMembers(json);
    std::set<const google::protobuf::OneofDescriptor*> taken;
    for (const JsonMember& member : members) {
      const FieldDescriptor* const field = FieldNamed(type, member.key);
      if (field == nullptr) continue;
      const std::string place = Join(path, field->json_name());
      if (field->json_name() != member.key &&
          std::ranges::find(members, field->json_name(), &JsonMember::key) !=
              members.end()) {
        return Invalid("%s: is given twice, as %s and %s", place,
                       field->json_name(), field->name());
      }
      const auto* const oneof = field->real_containing_oneof();
      if (oneof != nullptr && TypeOfJson(member.value) != JsonType::kNull &&
          !taken.insert(oneof).second) {
        return Conflict(*oneof, place);
      }
      absl::Status status = Field(member.value, *field, place);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Conflict(const google::protobuf::OneofDescriptor& oneof,
                               const std::string& path) {
    std::string names;
    for (int i = 0; i < oneof.field_count(); ++i) {
      absl::StrAppend(&names, i == 0 ? "" : ", ", oneof.field(i)->json_name());
    }
    return Invalid(
        "%s: conflicts with another field, expected at most one of %s", path,
        names);
  }

  absl::Status Field(std::string_view json, const FieldDescriptor& field,
                     const std::string& path) {
    if (!field.is_repeated()) return Value(json, field, path, field, "", "");
    const JsonType type = TypeOfJson(json);
    if (type == JsonType::kNull) return absl::OkStatus();
    // protobuf accepts a single value as a list.
    const bool is_map = field.is_map();
    if (type != (is_map ? JsonType::kObject : JsonType::kArray)) {
      return Invalid("%s: found %s, expected %s", path, Found(json),
                     is_map ? "an object" : "a list");
    }
    absl::Status status;
    int index = 0;
    for (const std::string_view item : JsonItems(json)) {
      status.Update(Value(item, field, absl::StrFormat("%s[%d]", path, index++),
                          field, "[", "]"));
      if (!status.ok()) return status;
    }
    for (const JsonMember& member : JsonMembers(json)) {
      status.Update(Value(member.value, *field.message_type()->map_value(),
                          absl::StrFormat("%s[%s]", path, Shown(member.key)),
                          field, "{\"k\":", "}"));
      if (!status.ok()) return status;
    }
    return status;
  }

  // Checks a value of `field`; `open` and `close` make it one of `holder`, its
  // list or map.
  absl::Status Value(std::string_view json, const FieldDescriptor& field,
                     const std::string& path, const FieldDescriptor& holder,
                     std::string_view open, std::string_view close) {
    if (each_value_ &&
        IsRead(absl::StrCat("{\"", holder.json_name(), "\":", std::string(open),
                            std::string(json), std::string(close), "}"),
               *holder.containing_type())) {
      return absl::OkStatus();
    }
    const JsonType type = TypeOfJson(json);
    // A resource amount, for which protobuf accepts any JSON.
    if (TypeName(field) == "google.protobuf.Value") {
      if (!IsContainer(json) && type != JsonType::kBool) {
        return absl::OkStatus();
      }
      return Invalid("%s: %s is not an amount such as \"4Gi\" or 2", path,
                     Shown(json));
    }
    // Times, durations and free-form objects have their own JSON forms.
    const bool is_object = field.message_type() != nullptr &&
                           !TypeName(field).starts_with("google.protobuf.");
    if (is_object && type == JsonType::kArray) {
      return Invalid("%s: found a list, expected an object", path);
    }
    if (is_object && type == JsonType::kObject) {
      return Object(json, *field.message_type(), path);
    }
    if (!is_object && FormOf(field) != "an object" && IsContainer(json)) {
      return Invalid("%s: found %s, expected a single value", path,
                     Found(json));
    }
    if (each_value_) {
      return Invalid("%s: %s is not %s", path,
                     Visible(Shown(json.substr(SkipJsonSpace(json)))),
                     FormOf(field));
    }
    if (field.enum_type() != nullptr) NoteName(json, *field.enum_type(), path);
    return absl::OkStatus();
  }

  static bool IsRead(std::string_view json, const Descriptor& type) {
    const std::unique_ptr<Message> message(
        google::protobuf::MessageFactory::generated_factory()
            ->GetPrototype(&type)
            ->New());
    return Parse(json, *message).ok();
  }

  void NoteName(std::string_view json, const EnumDescriptor& type,
                const std::string& path) {
    if (ignored_ == nullptr || ignored_->size() >= kMaxIgnored ||
        TypeOfJson(json) != JsonType::kString) {
      return;
    }
    const std::string name = JsonStringValue(json);
    int number = 0;
    if (type.FindValueByName(name) != nullptr ||
        absl::SimpleAtoi(name, &number)) {
      return;
    }
    ignored_->push_back(
        absl::StrFormat("%s: %s is ignored, it is not one of %s", path,
                        QuoteJson(Shown(name)), NamesOf(type)));
  }

  const bool each_value_;
  std::vector<std::string>* const ignored_;
};

// Returns path and text of the first number out of double's range, or empty.
std::string FindHugeNumber(std::string_view json, const std::string& path) {
  if (TypeOfJson(json) == JsonType::kNumber) {
    const std::string number(json.substr(SkipJsonSpace(json)));
    if (std::isfinite(std::strtod(number.c_str(), nullptr))) return "";
    return absl::StrFormat("%s: %s", path, Shown(number));
  }
  int index = 0;
  for (const std::string_view item : JsonItems(json)) {
    std::string found =
        FindHugeNumber(item, absl::StrFormat("%s[%d]", path, index++));
    if (!found.empty()) return found;
  }
  for (const JsonMember& member : JsonMembers(json)) {
    std::string found = FindHugeNumber(member.value, Join(path, member.key));
    if (!found.empty()) return found;
  }
  return "";
}

constexpr char kTypeUrl[] = "type.googleapis.com";

google::protobuf::util::TypeResolver* Resolver() {
  static auto* const resolver =
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          kTypeUrl, google::protobuf::DescriptorPool::generated_pool());
  return resolver;
}

}  // namespace

absl::Status ParseProtoJson(std::string_view json, Message& message,
                            std::vector<std::string>* ignored) {
  const Descriptor& type = *message.GetDescriptor();
  absl::Status members = MemberChecker(false, ignored).Object(json, type, "");
  if (!members.ok()) return members;
  const auto status = Parse(json, message);
  if (status.ok()) return absl::OkStatus();
  if (const std::string huge = FindHugeNumber(json, ""); !huge.empty()) {
    return Invalid("%s is out of range, expected at most 1.8e308", huge);
  }
  absl::Status value = MemberChecker(true, nullptr).Object(json, type, "");
  if (!value.ok()) return value;
  const auto text = status.message();
  return absl::InvalidArgumentError(std::string(text.data(), text.size()));
}

bool NamesFieldOf(std::string_view json, const Descriptor& type) {
  const std::vector<JsonMember> members = JsonMembers(json);
  return std::ranges::any_of(members, [&](const auto& member) {
    return FieldNamed(type, member.key) != nullptr;
  });
}

absl::StatusOr<std::string> PrintCompactJson(const Message& message) {
  std::string json;
  if (AppendMessageJson(message, json)) return json;
  return absl::InternalError(
      absl::StrFormat("%s cannot be printed as JSON: a time or duration is out "
                      "of range",
                      message.GetTypeName()));
}

absl::StatusOr<std::string> PrintProtoAs(OutputFormat format,
                                         const Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  const auto status = google::protobuf::util::BinaryToJsonString(
      Resolver(), absl::StrCat(kTypeUrl, "/", message.GetTypeName()),
      DeterministicBytes(message), &json, options);
  if (!status.ok()) {
    return absl::InternalError(absl::StrFormat(
        "%s cannot be printed as JSON: %s", message.GetTypeName(),
        std::string(status.message().data(), status.message().size())));
  }
  if (json.empty() || json.back() != '\n') json.push_back('\n');
  return format == OutputFormat::kYaml ? JsonToYaml(json) : json;
}

}  // namespace mulligan::cli
