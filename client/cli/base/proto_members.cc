// Checks JSON members against the fields of a message.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "policy/base/message_json.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxShown = 64;

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
                                    : Shown(json);
}

bool IsContainer(JsonType type) {
  return type == JsonType::kObject || type == JsonType::kArray;
}

// Times, durations and free-form objects have their own JSON forms.
bool HasMembers(const FieldDescriptor& field) {
  return field.message_type() != nullptr &&
         !field.message_type()->full_name().starts_with("google.protobuf.");
}

absl::Status CheckObject(std::string_view json, const Descriptor& type,
                         const std::string& path);

bool IsAmount(const FieldDescriptor& field) {
  return field.message_type() != nullptr &&
         field.message_type()->full_name() == "google.protobuf.Value";
}

// Checks a resource amount, for which protobuf accepts any JSON.
absl::Status CheckAmount(std::string_view json, const std::string& path) {
  const JsonType type = TypeOfJson(json);
  if (!IsContainer(type) && type != JsonType::kBool) return absl::OkStatus();
  return Invalid("%s: %s is not an amount such as \"4Gi\" or 2", path,
                 Shown(json));
}

absl::Status CheckValue(std::string_view json, const FieldDescriptor& field,
                        const std::string& path) {
  if (IsAmount(field)) return CheckAmount(json, path);
  if (!HasMembers(field)) return absl::OkStatus();
  if (TypeOfJson(json) == JsonType::kArray) {
    return Invalid("%s: found a list, expected an object", path);
  }
  return CheckObject(json, *field.message_type(), path);
}

absl::Status CheckMap(std::string_view json, const FieldDescriptor& map,
                      const std::string& path) {
  const FieldDescriptor& field = *map.message_type()->map_value();
  const JsonType type = TypeOfJson(json);
  if (type != JsonType::kObject && type != JsonType::kNull) {
    return Invalid("%s: found %s, expected an object", path, Found(json));
  }
  for (const JsonMember& member : JsonMembers(json)) {
    const std::string place =
        absl::StrFormat("%s[%s]", path, Shown(member.key));
    const JsonType found = TypeOfJson(member.value);
    if (field.message_type() == nullptr && IsContainer(found)) {
      return Invalid("%s: found %s, expected a single value", place,
                     Found(member.value));
    }
    absl::Status status = CheckValue(member.value, field, place);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckField(std::string_view json, const FieldDescriptor& field,
                        const std::string& path) {
  if (field.is_map()) return CheckMap(json, field, path);
  if (!field.is_repeated()) return CheckValue(json, field, path);
  const JsonType type = TypeOfJson(json);
  if (type == JsonType::kNull) return absl::OkStatus();
  // protobuf accepts a single value as a list.
  if (type != JsonType::kArray) {
    return Invalid("%s: found %s, expected a list", path, Found(json));
  }
  if (!HasMembers(field)) return absl::OkStatus();
  int index = 0;
  for (const std::string_view item : JsonItems(json)) {
    absl::Status status =
        CheckValue(item, field, absl::StrFormat("%s[%d]", path, index++));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckObject(std::string_view json, const Descriptor& type,
                         const std::string& path) {
  const std::vector<JsonMember> members = JsonMembers(json);
  for (const JsonMember& member : members) {
    const FieldDescriptor* field = type.FindFieldByName(member.key);
    if (field != nullptr && field->json_name() != member.key &&
        std::ranges::find(members, field->json_name(), &JsonMember::key) !=
            members.end()) {
      return Invalid("%s: is given twice, as %s and %s",
                     Join(path, field->json_name()), field->json_name(),
                     field->name());
    }
    if (field == nullptr) field = FieldNamed(type, member.key);
    if (field == nullptr) continue;
    if (!field->is_repeated() && !IsAmount(*field) &&
        !IsContainer(TypeOfJson(member.value))) {
      continue;
    }
    absl::Status status =
        CheckField(member.value, *field, Join(path, field->json_name()));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckProtoMembers(std::string_view json, const Descriptor& type) {
  return CheckObject(json, type, "");
}

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

}  // namespace mulligan::cli
