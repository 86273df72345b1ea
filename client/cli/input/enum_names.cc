#include "client/cli/input/enum_names.h"

#include <map>
#include <mutex>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxFindings = 20;

bool Search(const Descriptor& type, std::set<const Descriptor*>& visited) {
  if (!visited.insert(&type).second) return false;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.enum_type() != nullptr) return true;
    if (field.message_type() != nullptr &&
        Search(*field.message_type(), visited)) {
      return true;
    }
  }
  return false;
}

// Whether a message of this type may hold an enum. The Kubernetes mirrors hold
// none, and they are the bulk of every request.
bool MayHoldEnums(const Descriptor& type) {
  static std::mutex mutex;
  static std::map<const Descriptor*, bool> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, is_new] = known.try_emplace(&type, false);
  if (is_new) {
    std::set<const Descriptor*> visited;
    entry->second = Search(type, visited);
  }
  return entry->second;
}

std::string AllowedNames(const EnumDescriptor& type) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() == 0) continue;
    if (!names.empty()) names += ", ";
    names += type.value(i)->name();
  }
  return names;
}

class Finder {
 public:
  std::vector<std::string> TakeFindings() { return std::move(findings_); }

  void Object(std::string_view json, const Descriptor& type,
              const std::string& path) {
    for (const JsonMember& member : JsonMembers(json)) {
      if (findings_.size() >= kMaxFindings) return;
      const FieldDescriptor* field = FindField(type, member.key);
      if (field == nullptr) continue;
      const std::string name =
          path.empty() ? field->json_name()
                       : absl::StrFormat("%s.%s", path, field->json_name());
      if (field->is_map()) {
        Map(member.value, *field, name);
      } else if (TypeOfJson(member.value) == JsonType::kArray) {
        int index = 0;
        for (const std::string_view item : JsonItems(member.value)) {
          Value(item, *field, absl::StrFormat("%s[%d]", name, index++));
        }
      } else {
        Value(member.value, *field, name);
      }
    }
  }

 private:
  // Fields whose values need a look: enums, and messages that hold some.
  static const FieldDescriptor* FindField(const Descriptor& type,
                                          const std::string& key) {
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (field.enum_type() == nullptr && field.message_type() == nullptr) {
        continue;
      }
      if (field.json_name() != key && field.name() != key) continue;
      return field.enum_type() != nullptr || MayHoldEnums(*field.message_type())
                 ? &field
                 : nullptr;
    }
    return nullptr;
  }

  void Map(std::string_view json, const FieldDescriptor& field,
           const std::string& path) {
    const FieldDescriptor& value = *field.message_type()->map_value();
    for (const JsonMember& member : JsonMembers(json)) {
      Value(member.value, value, absl::StrFormat("%s[%s]", path, member.key));
    }
  }

  void Value(std::string_view json, const FieldDescriptor& field,
             const std::string& path) {
    if (field.message_type() != nullptr) {
      Object(json, *field.message_type(), path);
      return;
    }
    if (field.enum_type() == nullptr) return;
    if (TypeOfJson(json) != JsonType::kString) return;
    const std::string name = JsonStringValue(json);
    int number = 0;
    if (field.enum_type()->FindValueByName(name) != nullptr ||
        absl::SimpleAtoi(name, &number)) {
      return;
    }
    if (findings_.size() >= kMaxFindings) return;
    findings_.push_back(
        absl::StrFormat("%s: %s is ignored, it is none of %s", path,
                        QuoteJson(std::string_view(name).substr(0, 64)),
                        AllowedNames(*field.enum_type())));
  }

  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> FindUnknownEnumNames(std::string_view json,
                                              const Descriptor& type,
                                              std::string_view path) {
  Finder finder;
  if (MayHoldEnums(type)) finder.Object(json, type, std::string(path));
  return finder.TakeFindings();
}

}  // namespace mulligan::cli
