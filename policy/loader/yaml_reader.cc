#include "policy/loader/yaml_reader.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "policy/loader/suggest.h"
#include "policy/loader/yaml_field.h"
#include "policy/loader/yaml_json.h"
#include "policy/loader/yaml_text.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using NodeKind = YamlNode::Kind;

const char* KindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNull:
      return "nothing";
    case NodeKind::kScalar:
      return "a single value";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "a map";
    case NodeKind::kHole:
      return "a refused value";
  }
  return "";
}

bool IsStruct(const FieldDescriptor& field) {
  return field.message_type() == google::protobuf::Struct::descriptor();
}

// Returns whether the list or map is empty, which a message cannot distinguish
// from an absent one: "none" would mean "any".
bool IsEmptyOf(const YamlNode& value, const FieldDescriptor& field) {
  return (field.is_map() && value.kind == NodeKind::kMap &&
          value.entries.empty()) ||
         (field.is_repeated() && !field.is_map() &&
          value.kind == NodeKind::kList && value.items.empty());
}

// The same for strings; labels may be empty.
bool IsEmptyText(const YamlNode& value, const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         !field.has_presence() &&
         field.containing_type()->map_key() == nullptr && value.text.empty();
}

// Issues of a document after which lists are no longer read.
constexpr size_t kMaxIssues = 1000;

class MessageReader {
 public:
  MessageReader(SourceMap& positions, Issues& issues, ForeignMaps foreign)
      : positions_(positions), issues_(issues), foreign_(foreign) {}

  void ReadRoot(const YamlNode& node, Message& message) {
    positions_.Add("", node.position);
    if (node.kind == NodeKind::kMap) {
      ReadMap(node, "", message);
    } else if (node.kind != NodeKind::kHole) {
      Report(
          node.position, "",
          absl::StrFormat("expected a map with keys among %s, found %s",
                          absl::StrJoin(KeysOf(*message.GetDescriptor()), ", "),
                          KindName(node.kind)));
    }
  }

  DoubtfulPaths TakeDoubtful() { return std::move(doubtful_); }

 private:
  // `path` is that of the field; it and its message become doubtful.
  void Report(Position position, std::string_view path, std::string message) {
    AddIssue(position, std::move(message));
    Doubt(path);
  }

  // `path` is that of the map with the key.
  void ReportKey(Position position, std::string_view path,
                 std::string message) {
    AddIssue(position, std::move(message));
    doubtful_.maps.emplace_back(path);
  }

  void AddIssue(Position position, std::string message) {
    issues_.push_back({Issue::Severity::kError, positions_.file(), position,
                       std::move(message)});
  }

  UnknownKeys PolicyFor(std::string_view path) const {
    return foreign_ == nullptr ? UnknownKeys::kRefuse : foreign_(path);
  }

  void WarnOfUnknown(const YamlNode& key, const Descriptor& type) {
    const std::string nearest = Nearest(key.text, KeysOf(type));
    issues_.push_back(
        {Issue::Severity::kWarning, positions_.file(), key.position,
         absl::StrFormat(
             "key %s is not understood and passed over%s", Quote(key.text),
             nearest.empty()
                 ? ""
                 : absl::StrFormat(", did you mean \"%s\"?", nearest))});
  }

  void Doubt(std::string_view path) {
    doubtful_.values.emplace_back(path);
    bool element = true;
    while (element && !path.empty()) {
      const size_t end = path.find_last_of(".[");
      element = end != path.npos && path[end] == '[';
      path = path.substr(0, end == path.npos ? 0 : end);
      doubtful_.maps.emplace_back(path);
    }
  }

  // Checks a key and that it is unique. Returns false to skip the entry.
  bool CheckKey(const YamlNode& key, std::string_view path,
                std::map<std::string, Position, std::less<>>& seen) {
    if (key.kind == NodeKind::kHole) {
      doubtful_.maps.emplace_back(path);
      return false;
    }
    if (key.kind != NodeKind::kScalar) {
      ReportKey(
          key.position, path,
          absl::StrFormat("expected a key, found %s", KindName(key.kind)));
      return false;
    }
    const auto [first, is_new] = seen.emplace(key.text, key.position);
    if (!is_new) {
      ReportKey(key.position, path,
                absl::StrFormat("duplicate key %s, first given at line %d",
                                Quote(key.text), first->second.line));
    }
    return is_new;
  }

  void ReadMap(const YamlNode& node, const std::string& path,
               Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    std::map<std::string, Position, std::less<>> seen;
    for (const auto& [key, value] : node.entries) {
      if (!CheckKey(key, path, seen)) continue;
      const FieldDescriptor* const field = FindField(type, key, node, path);
      if (field == nullptr) continue;
      const std::string name = field->json_name();
      ReadField(key, value,
                path.empty() ? name : absl::StrFormat("%s.%s", path, name),
                *field, message);
    }
  }

  // Returns the field of a key; for a misspelt key the intended field, unless
  // that is given as well.
  const FieldDescriptor* FindField(const Descriptor& type, const YamlNode& key,
                                   const YamlNode& map,
                                   const std::string& path) {
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->json_name() == key.text) return type.field(i);
    }
    if (const UnknownKeys unknown = PolicyFor(path);
        unknown != UnknownKeys::kRefuse) {
      if (unknown == UnknownKeys::kWarn) WarnOfUnknown(key, type);
      return nullptr;
    }
    if (key.text == "<<" && !key.quoted) {
      ReportKey(key.position, path, "merge keys (<<) are not allowed");
      return nullptr;
    }
    const std::vector<std::string> names = KeysOf(type);
    const std::string nearest = Nearest(key.text, names);
    if (nearest.empty()) {
      ReportKey(key.position, path,
                absl::StrFormat("unknown key %s, expected one of %s",
                                Quote(key.text), absl::StrJoin(names, ", ")));
      return nullptr;
    }
    AddIssue(key.position,
             absl::StrFormat("unknown key %s, did you mean \"%s\"?",
                             Quote(key.text), nearest));
    for (const auto& [other, value] : map.entries) {
      if (&other != &key && other.text == nearest) return nullptr;
    }
    return FindField(type, {.kind = NodeKind::kScalar, .text = nearest}, map,
                     path);
  }

  void ReadField(const YamlNode& key, const YamlNode& value,
                 const std::string& path, const FieldDescriptor& field,
                 Message& message) {
    const bool at_value = value.kind == NodeKind::kScalar;
    positions_.Add(path, at_value ? value.position : key.position);
    if (value.kind == NodeKind::kHole) return Doubt(path);
    if (value.kind == NodeKind::kNull) {
      if (PolicyFor(path) != UnknownKeys::kRefuse) return;
      return Report(
          key.position, path,
          absl::StrFormat("%s has no value, expected %s; remove the "
                          "key to leave it out",
                          Quote(key.text), ExpectedForm(field, false)));
    }
    if (IsEmptyOf(value, field) && PolicyFor(path) == UnknownKeys::kRefuse) {
      return Report(key.position, path,
                    absl::StrFormat("%s is empty, expected at least one entry; "
                                    "remove the key to leave it out",
                                    Quote(key.text)));
    }
    if (field.is_map()) {
      ReadEntries(value, path, field, message);
    } else if (field.is_repeated()) {
      ReadList(value, path, field, message);
    } else {
      ReadValue(value, path, field, message);
    }
  }

  bool CheckKind(const YamlNode& value, NodeKind expected,
                 const std::string& path, const FieldDescriptor& field,
                 bool element) {
    if (value.kind == expected) return true;
    std::string problem =
        absl::StrFormat("expected %s, found %s", ExpectedForm(field, element),
                        KindName(value.kind));
    if (expected == NodeKind::kList && value.kind == NodeKind::kScalar) {
      problem += absl::StrFormat(" (write [%s])", Quote(value.text));
    }
    Report(value.position, path, std::move(problem));
    return false;
  }

  void ReadList(const YamlNode& value, const std::string& path,
                const FieldDescriptor& field, Message& message) {
    if (!CheckKind(value, NodeKind::kList, path, field, false)) return;
    for (size_t i = 0; i < value.items.size(); ++i) {
      // Bounds the time: each further issue searches all names.
      if (issues_.size() > kMaxIssues) return Doubt(path);
      const YamlNode& item = value.items[i];
      const std::string item_path = absl::StrFormat("%s[%d]", path, i);
      positions_.Add(item_path, item.position);
      if (item.kind == NodeKind::kHole) {
        Doubt(item_path);
        KeepPlace(field, message);
      } else {
        ReadValue(item, item_path, field, message);
      }
    }
  }

  // Adds an empty message for an unreadable element, to keep indexes.
  static void KeepPlace(const FieldDescriptor& field, Message& message) {
    if (field.is_repeated() && !IsScalarField(field)) {
      message.GetReflection()->AddMessage(&message, &field);
    }
  }

  void ReadEntries(const YamlNode& value, const std::string& path,
                   const FieldDescriptor& field, Message& message) {
    if (!CheckKind(value, NodeKind::kMap, path, field, false)) return;
    std::map<std::string, Position, std::less<>> seen;
    for (const auto& [key, entry_value] : value.entries) {
      if (!CheckKey(key, path, seen)) continue;
      Message& entry = *message.GetReflection()->AddMessage(&message, &field);
      const Descriptor& type = *field.message_type();
      const absl::Status status = StoreScalar(
          {.kind = NodeKind::kScalar, .text = key.text, .quoted = true},
          *type.map_key(), entry);
      if (!status.ok()) {
        Report(key.position, path, std::string(status.message()));
        continue;
      }
      ReadField(key, entry_value, absl::StrFormat("%s[%s]", path, key.text),
                *type.map_value(), entry);
    }
  }

  void ReadValue(const YamlNode& value, const std::string& path,
                 const FieldDescriptor& field, Message& message) {
    if (!IsScalarField(field)) {
      if (!CheckKind(value, NodeKind::kMap, path, field, true)) {
        return KeepPlace(field, message);
      }
      Message& child =
          field.is_repeated()
              ? *message.GetReflection()->AddMessage(&message, &field)
              : *message.GetReflection()->MutableMessage(&message, &field);
      if (IsStruct(field)) return ReadObject(value, path, child);
      return ReadMap(value, path, child);
    }
    if (!CheckKind(value, NodeKind::kScalar, path, field, true)) return;
    if (IsEmptyText(value, field) && PolicyFor(path) == UnknownKeys::kRefuse) {
      return Report(value.position, path,
                    "an empty string says nothing; leave it out");
    }
    const absl::Status status = StoreScalar(value, field, message);
    if (!status.ok()) {
      Report(value.position, path, std::string(status.message()));
    }
  }

  // Reads another program's object through JSON.
  void ReadObject(const YamlNode& map, const std::string& path,
                  Message& object) {
    Issues faults;
    std::string json;
    AppendYamlAsJson(map, faults, json);
    for (const Issue& fault : faults) {
      Report(fault.position, path, fault.message);
    }
    const auto read =
        google::protobuf::util::JsonStringToMessage(json, &object);
    if (!read.ok()) {
      Report(map.position, path, std::string(read.message()));
    }
  }

  SourceMap& positions_;
  Issues& issues_;
  const ForeignMaps foreign_;
  DoubtfulPaths doubtful_;
};

}  // namespace

DoubtfulPaths ReadYamlMessage(const YamlNode& root, Message& message,
                              SourceMap& positions, Issues& issues,
                              ForeignMaps foreign) {
  MessageReader reader(positions, issues, foreign);
  reader.ReadRoot(root, message);
  return reader.TakeDoubtful();
}

}  // namespace mulligan
