#include <algorithm>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/report_builder.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/message_json.h"
#include "policy/base/utf8.h"
#include "policy/loader/suggest.h"
#include "policy/request/kind_names.h"
#include "policy/request/kinds.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxKindShown = 64;

const FieldDescriptor* FieldOfReport(const std::string& key) {
  return FieldNamed(*v1::FailureReport::descriptor(), key);
}

// An object may omit its kind.
absl::Status CheckKind(std::string_view object, std::string_view expected,
                       const std::string& path) {
  const std::string kind = JsonStringValue(JsonMemberOf(object, "kind"));
  if (kind.empty() || kind == expected) return absl::OkStatus();
  return Invalid("%s: kind is %s, expected %s", path,
                 QuoteJson(std::string_view(kind).substr(0, kMaxKindShown)),
                 expected);
}

absl::Status CheckField(const FieldDescriptor& field, std::string_view value,
                        const std::string& path) {
  const std::string_view kind = KindOfReportField(field.json_name());
  if (!field.is_repeated()) {
    return kind.empty() ? absl::OkStatus() : CheckKind(value, kind, path);
  }
  const JsonType type = TypeOfJson(value);
  if (type != JsonType::kArray && type != JsonType::kNull) {
    return Invalid(
        "%s: found %s, expected a list", path,
        type == JsonType::kObject
            ? "an object"
            : Visible(value.substr(SkipJsonSpace(value), kMaxKindShown)));
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

// Returns the list whose objects are called `key`: "jobs" for "job".
const FieldDescriptor* ListOf(const std::string& key) {
  const FieldDescriptor* const list = FieldOfReport(key + "s");
  const bool is_list = list != nullptr && list->is_repeated() &&
                       list->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  return is_list && FieldOfReport(key) == nullptr ? list : nullptr;
}

bool Has(const std::vector<JsonMember>& members, const FieldDescriptor& field) {
  return std::ranges::any_of(members, [&](const JsonMember& member) {
    return member.key == field.json_name() || member.key == field.name();
  });
}

constexpr size_t kMaxFindings = 20;

// Returns whether a message of this type may hold our enums. The Kubernetes
// mirrors, the bulk of every request, do not.
bool MayHoldEnums(const Descriptor& type) {
  return !type.full_name().starts_with("mulligan.kubernetes.");
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

// Returns the field if its value may hold enums, else null.
const FieldDescriptor* FieldWithEnums(const Descriptor& type,
                                      const std::string& key) {
  const FieldDescriptor* const field = FieldNamed(type, key);
  if (field == nullptr || field->enum_type() != nullptr) return field;
  return field->message_type() != nullptr &&
                 MayHoldEnums(*field->message_type())
             ? field
             : nullptr;
}

void FindInObject(std::string_view json, const Descriptor& type,
                  const std::string& path, std::vector<std::string>& findings);

void FindInValue(std::string_view json, const FieldDescriptor& field,
                 const std::string& path, std::vector<std::string>& findings) {
  if (field.message_type() != nullptr) {
    return FindInObject(json, *field.message_type(), path, findings);
  }
  if (field.enum_type() == nullptr || TypeOfJson(json) != JsonType::kString) {
    return;
  }
  const std::string name = JsonStringValue(json);
  int number = 0;
  if (field.enum_type()->FindValueByName(name) != nullptr ||
      absl::SimpleAtoi(name, &number) || findings.size() >= kMaxFindings) {
    return;
  }
  findings.push_back(
      absl::StrFormat("%s: %s is ignored, it is not one of %s", path,
                      QuoteJson(std::string_view(name).substr(0, 64)),
                      AllowedNames(*field.enum_type())));
}

void FindInObject(std::string_view json, const Descriptor& type,
                  const std::string& path, std::vector<std::string>& findings) {
  for (const JsonMember& member : JsonMembers(json)) {
    if (findings.size() >= kMaxFindings) return;
    const FieldDescriptor* field = FieldWithEnums(type, member.key);
    if (field == nullptr) continue;
    const std::string name =
        absl::StrCat(path, path.empty() ? "" : ".", field->json_name());
    if (field->is_map()) {
      for (const JsonMember& entry : JsonMembers(member.value)) {
        FindInValue(entry.value, *field->message_type()->map_value(),
                    absl::StrFormat("%s[%s]", name, entry.key), findings);
      }
    } else if (TypeOfJson(member.value) == JsonType::kArray) {
      int index = 0;
      for (const std::string_view item : JsonItems(member.value)) {
        FindInValue(item, *field, absl::StrFormat("%s[%d]", name, index++),
                    findings);
      }
    } else {
      FindInValue(member.value, *field, name, findings);
    }
  }
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
  const std::vector<JsonMember> members =
      JsonMembers(JsonMemberOf(request, "report"));
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
    warnings.push_back(absl::StrFormat("report.%s is read as report.%s[0]",
                                       member.key, list->json_name()));
  }
  // From the back, so that earlier offsets stay valid.
  std::ranges::reverse(splices);
  for (const Splice& splice : splices) {
    const std::string value = request.substr(splice.value, splice.size);
    request.replace(splice.key, splice.value + splice.size - splice.key,
                    absl::StrFormat("\"%s\":[%s]", splice.list, value));
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
  return CheckReportShape(JsonMemberOf(request, "report"), "report.");
}

std::vector<std::string> FindUnknownEnumNames(std::string_view json,
                                              const Descriptor& type) {
  std::vector<std::string> findings;
  FindInObject(json, type, "", findings);
  return findings;
}

const Kind* FieldRow(const KubernetesObject& object) {
  for (const Kind& kind : Kinds()) {
    if (kind.name == object.kind && !kind.field.empty() &&
        (object.api_version.empty() ||
         kind.group == ApiGroup(object.api_version))) {
      return &kind;
    }
  }
  return nullptr;
}

std::vector<std::string> SupportedKinds() {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) {
    if (kind.field.empty()) continue;
    if (names.empty() || names.back() != kind.name) {
      names.emplace_back(kind.name);
    }
  }
  return names;
}

std::string AlternativeTo(const KubernetesObject& object) {
  const std::vector<std::string> taken = SupportedKinds();
  const std::string near = Nearest(object.kind, taken);
  if (near == object.kind) {
    return absl::StrFormat(
        "a report takes no %s of %s: pass its pods (kubectl get pods -o json)",
        near, Printable(object.api_version));
  }
  return absl::StrFormat(
      "a report takes %s; for other workloads pass the pods (kubectl get pods "
      "-o json)%s",
      absl::StrJoin(taken, ", "),
      near.empty() ? "" : absl::StrFormat("; is it meant to be %s?", near));
}

}  // namespace mulligan::cli
