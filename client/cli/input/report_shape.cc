#include "client/cli/input/report_shape.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "google/protobuf/descriptor.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/kinds.h"

namespace mulligan::cli {
namespace {

using google::protobuf::FieldDescriptor;

constexpr size_t kMaxKindShown = 64;

const FieldDescriptor* FieldOfReport(const std::string& key) {
  const auto& type = *v1::FailureReport::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.json_name() == key || field.name() == key) return &field;
  }
  return nullptr;
}

// An object may leave its kind out.
absl::Status CheckKind(std::string_view object, std::string_view expected,
                       const std::string& path) {
  for (const JsonMember& member : JsonMembers(object)) {
    if (member.key != "kind") continue;
    const std::string kind = JsonStringValue(member.value);
    if (kind.empty() || kind == expected) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: kind is %s, expected %s", path,
        QuoteJson(std::string_view(kind).substr(0, kMaxKindShown)), expected));
  }
  return absl::OkStatus();
}

absl::Status CheckField(const FieldDescriptor& field, std::string_view value,
                        const std::string& path) {
  const std::string_view kind = KindOfReportField(field.json_name());
  if (!field.is_repeated()) {
    return kind.empty() ? absl::OkStatus() : CheckKind(value, kind, path);
  }
  const JsonType type = TypeOfJson(value);
  if (type != JsonType::kArray && type != JsonType::kNull) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: found %s, expected a list", path,
        type == JsonType::kObject ? "an object" : "a single value"));
  }
  if (kind.empty()) return absl::OkStatus();
  int index = 0;
  for (const std::string_view item : JsonItems(value)) {
    absl::Status status =
        CheckKind(item, kind, absl::StrFormat("%s[%d]", path, index++));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The list whose objects are called `key`: "jobs" for "job".
const FieldDescriptor* ListOf(const std::string& key) {
  const FieldDescriptor* const list = FieldOfReport(key + "s");
  const bool is_list = list != nullptr && list->is_repeated() &&
                       list->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  return is_list && FieldOfReport(key) == nullptr ? list : nullptr;
}

bool Has(const std::vector<JsonMember>& members, const FieldDescriptor& field) {
  return std::any_of(
      members.begin(), members.end(), [&](const JsonMember& member) {
        return member.key == field.json_name() || member.key == field.name();
      });
}

}  // namespace

std::string_view KindOfReportField(std::string_view json_name) {
  std::string_view found;
  for (const Kind& kind : Kinds()) {
    if (kind.field != json_name || kind.name == found) continue;
    if (!found.empty()) return {};
    found = kind.name;
  }
  return found;
}

std::string ListsOfOne(std::string request,
                       std::vector<std::string>& warnings) {
  struct Splice {
    std::size_t key;
    std::size_t value;
    std::size_t size;
    std::string list;
  };
  std::vector<Splice> splices;
  for (const JsonMember& top : JsonMembers(request)) {
    if (top.key != "report") continue;
    const std::vector<JsonMember> members = JsonMembers(top.value);
    for (const JsonMember& member : members) {
      const FieldDescriptor* const list = ListOf(member.key);
      if (list == nullptr || Has(members, *list) ||
          TypeOfJson(member.value) != JsonType::kObject) {
        continue;
      }
      const auto value =
          static_cast<std::size_t>(member.value.data() - request.data());
      const std::size_t key = request.rfind('"' + member.key + '"', value);
      if (key == std::string::npos) continue;  // written with escapes
      splices.push_back({key, value, member.value.size(), list->json_name()});
      warnings.push_back(absl::StrFormat("report.%s is taken for report.%s[0]",
                                         member.key, list->json_name()));
    }
  }
  // From the back, so that the places before stay where they are.
  for (auto splice = splices.rbegin(); splice != splices.rend(); ++splice) {
    const std::string value = request.substr(splice->value, splice->size);
    request.replace(splice->key, splice->value + splice->size - splice->key,
                    absl::StrFormat("\"%s\":[%s]", splice->list, value));
  }
  return request;
}

absl::Status CheckReportShape(std::string_view report, std::string_view path) {
  for (const JsonMember& member : JsonMembers(report)) {
    const FieldDescriptor* field = FieldOfReport(member.key);
    if (field == nullptr) continue;
    absl::Status status =
        CheckField(*field, member.value,
                   absl::StrFormat("%s%s", path, field->json_name()));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckRequestShape(std::string_view request) {
  for (const JsonMember& member : JsonMembers(request)) {
    if (member.key != "report") continue;
    return CheckReportShape(member.value, "report.");
  }
  return absl::OkStatus();
}

}  // namespace mulligan::cli
