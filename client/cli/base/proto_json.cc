#include "client/cli/base/proto_json.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver_util.h"
#include "policy/base/message_json.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypeNames[] = {
    {"TYPE_INT32", "a 32-bit integer"},
    {"TYPE_INT64", "a 64-bit integer"},
    {"TYPE_UINT32", "an unsigned 32-bit integer"},
    {"TYPE_DOUBLE", "a number"},
    {"TYPE_BOOL", "true or false"},
    {"TYPE_STRING", "a string"},
    {"TYPE_ENUM", "a name or number of this enumeration"},
    {"type.googleapis.com/google.protobuf.Timestamp",
     "a timestamp such as \"2026-01-31T08:00:00Z\""},
    {"type.googleapis.com/google.protobuf.Duration",
     "a duration such as \"30s\""},
};

std::string_view ReadableType(std::string_view internal) {
  for (const auto& [name, readable] : kTypeNames) {
    if (internal == name) return readable;
  }
  return "an object";
}

// Protobuf reports paths in its own case: container_statuses[0].
std::string CamelCasePath(std::string_view path) {
  std::string result;
  bool upper = false;
  for (const char c : path) {
    if (c == '_') {
      upper = true;
      continue;
    }
    result.push_back(
        upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
              : c);
    upper = false;
  }
  return result;
}

// JSON and the message type it was read as; null if unknown.
struct Source {
  std::string_view json;
  const google::protobuf::Descriptor* type;

  // Returns the value of `field`; "null" if absent or unknown.
  std::string_view ValueOf(
      const google::protobuf::FieldDescriptor* field) const {
    if (field == nullptr) return "null";
    for (const JsonMember& member : JsonMembers(json)) {
      if (FieldNamed(*type, member.key) == field) return member.value;
    }
    return "null";
  }
};

// Converts a path of protobuf to JSON's spelling. Protobuf reports map entries
// as a list: "specs[1].value.replicas" becomes "specs[Worker].replicas". Sets
// `value`, if not null, to the JSON at the path.
std::string ReadablePath(std::string_view path, Source source,
                         std::string_view* value = nullptr) {
  std::string result;
  bool in_entry = false;
  const absl::string_view whole(path.data(), path.size());
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(whole, '.'))) {
    if (std::exchange(in_entry, false) && part == "value") continue;
    const size_t bracket = std::min(part.find('['), part.size());
    const std::string name = part.substr(0, bracket);
    const google::protobuf::FieldDescriptor* const field =
        source.type == nullptr ? nullptr : FieldNamed(*source.type, name);
    absl::StrAppend(&result, result.empty() ? "" : ".", CamelCasePath(name));
    source.json = source.ValueOf(field);
    source.type = field == nullptr ? nullptr : field->message_type();
    if (bracket == part.size()) continue;
    const auto index =
        static_cast<size_t>(std::strtoul(&part[bracket + 1], nullptr, 10));
    const std::vector<JsonMember> members = JsonMembers(source.json);
    if (field != nullptr && field->is_map() && index < members.size()) {
      absl::StrAppend(&result, "[", members[index].key, "]");
      source = {members[index].value, source.type->map_value()->message_type()};
      in_entry = true;
      continue;
    }
    const std::vector<std::string_view> items = JsonItems(source.json);
    result += part.substr(bracket);
    source.json = index < items.size() ? items[index] : "null";
  }
  if (value != nullptr) *value = source.json;
  return result;
}

std::string JoinPath(const std::string& path, std::string_view field) {
  return path.empty() ? CamelCasePath(field)
                      : absl::StrFormat("%s.%s", path, CamelCasePath(field));
}

// Protobuf reports times and durations as "Field 'f', Invalid time format: V".
// Without V, the value is `given`.
std::string ReadableValue(std::string_view value, std::string_view given) {
  constexpr size_t kMaxShown = 64;
  if (value.substr(0, 7) != "Field '") return std::string(value);
  const size_t colon = value.rfind(": ");
  return colon == std::string_view::npos
             ? Visible(given.substr(SkipJsonSpace(given), kMaxShown))
             : QuoteJson(value.substr(colon + 2));
}

// Protobuf puts paths in round brackets.
std::string_view WithoutBrackets(std::string_view path) {
  return path.size() >= 2 && path.front() == '('
             ? path.substr(1, path.size() - 2)
             : path;
}

// Rewords "oneof field 'policy_choice' is already set. Cannot set
// 'inlinePolicy'" to list the fields that exclude each other, if `type` has the
// oneof.
std::string RewordOneof(const std::string& path, std::string_view value,
                        const google::protobuf::Descriptor& type) {
  const auto quoted = [&value](size_t from) {
    const size_t open = value.find('\'', from);
    if (open == std::string_view::npos) return std::string_view();
    const std::string_view rest = value.substr(open + 1);
    return rest.substr(0, rest.find('\''));
  };
  const std::string oneof(quoted(0));
  const std::string_view field = quoted(value.find(". "));
  std::string names;
  if (const auto* found = type.FindOneofByName(oneof); found != nullptr) {
    for (int i = 0; i < found->field_count(); ++i) {
      if (i > 0) names += ", ";
      names += found->field(i)->json_name();
    }
  }
  return absl::StrFormat(
      "%s: conflicts with another field, expected at most one of "
      "%s",
      JoinPath(path, field), names.empty() ? CamelCasePath(oneof) : names);
}

// `where` is "report" or "(report) jobSet".
std::string RewordList(std::string_view where, const Source& source) {
  const size_t close = where.find(") ");
  const bool nested = where.substr(0, 1) == "(" && close != where.npos;
  return absl::StrFormat(
      "%s: found a list, expected a single value",
      nested ? JoinPath(ReadablePath(where.substr(1, close - 1), source),
                        where.substr(close + 2))
             : CamelCasePath(where));
}

// Rewords "(path): invalid value V for type T" and its two variants.
std::string Reword(std::string_view message, const Source& source) {
  constexpr std::string_view kSeparator = ": invalid value ";
  constexpr std::string_view kForType = " for type ";
  const size_t value_at = message.find(kSeparator);
  const size_t type_at = message.rfind(kForType);
  if (value_at == std::string_view::npos || type_at < value_at ||
      type_at == std::string_view::npos) {
    const size_t list_at = message.find(": Proto field is not repeating");
    if (list_at != std::string_view::npos) {
      return RewordList(message.substr(0, list_at), source);
    }
    return std::string(message.substr(0, message.find('\n')));
  }
  std::string_view given;
  const std::string path = ReadablePath(
      WithoutBrackets(message.substr(0, value_at)), source, &given);
  const size_t value_start = value_at + kSeparator.size();
  const std::string_view value =
      message.substr(value_start, type_at - value_start);
  const std::string_view type = message.substr(type_at + kForType.size());
  if (value.starts_with("oneof field '")) {
    return RewordOneof(path, value, *source.type);
  }
  if (value.starts_with("Starting an object")) {
    return absl::StrFormat(
        "%s: found an object or list, expected a single value",
        JoinPath(path, type));
  }
  return absl::StrFormat("%s: %s is not %s", path, ReadableValue(value, given),
                         ReadableType(type));
}

}  // namespace

absl::Status ParseProtoJson(std::string_view json,
                            google::protobuf::Message& message) {
  absl::Status members = CheckProtoMembers(json, *message.GetDescriptor());
  if (!members.ok()) return members;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      {json.data(), json.size()}, &message, options);
  if (status.ok()) return absl::OkStatus();
  const auto text = status.message();
  if (const std::string huge = FindHugeNumber(json); !huge.empty()) {
    return Invalid("%s is out of range, expected at most 1.8e308", huge);
  }
  return absl::InvalidArgumentError(
      Reword(std::string_view(text.data(), text.size()),
             {json, message.GetDescriptor()}));
}

bool NamesFieldOf(std::string_view json,
                  const google::protobuf::Descriptor& type) {
  const std::vector<JsonMember> members = JsonMembers(json);
  return std::ranges::any_of(members, [&](const auto& member) {
    return FieldNamed(type, member.key) != nullptr;
  });
}

namespace {

constexpr char kTypeUrl[] = "type.googleapis.com";

google::protobuf::util::TypeResolver* Resolver() {
  static auto* const resolver =
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          kTypeUrl, google::protobuf::DescriptorPool::generated_pool());
  return resolver;
}

std::string TypeUrlOf(const google::protobuf::Message& message) {
  return absl::StrFormat("%s/%s", kTypeUrl,
                         message.GetDescriptor()->full_name());
}

}  // namespace

absl::StatusOr<std::string> PrintCompactJson(
    const google::protobuf::Message& message) {
  std::string json;
  if (AppendMessageJson(message, json)) return json;
  return absl::InternalError(
      absl::StrFormat("%s cannot be printed as JSON: a time or duration is out "
                      "of range",
                      message.GetTypeName()));
}

absl::StatusOr<std::string> PrintProtoAs(
    OutputFormat format, const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  const auto status = google::protobuf::util::BinaryToJsonString(
      Resolver(), TypeUrlOf(message), DeterministicBytes(message), &json,
      options);
  if (!status.ok()) {
    return absl::InternalError(absl::StrFormat(
        "%s cannot be printed as JSON: %s", message.GetTypeName(),
        std::string(status.message().data(), status.message().size())));
  }
  if (json.empty() || json.back() != '\n') json.push_back('\n');
  return format == OutputFormat::kYaml ? JsonToYaml(json) : json;
}

}  // namespace mulligan::cli
