#include "client/cli/input/report_builder.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/reduction.h"
#include "client/cli/input/slurm.h"
#include "google/protobuf/descriptor.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/message_json.h"
#include "policy/base/utf8.h"
#include "policy/loader/suggest.h"
#include "policy/request/kind_names.h"
#include "policy/request/kinds.h"
#include "policy/request/owner_graph.h"

namespace mulligan::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kListSuffix = "List";
constexpr size_t kMaxWarnings = 20;

bool IsSameObject(const kubernetes::meta::v1::ObjectMeta& a,
                  const kubernetes::meta::v1::ObjectMeta& b) {
  if (!a.uid().empty() && !b.uid().empty()) return a.uid() == b.uid();
  return a.namespace_() == b.namespace_() && a.name() == b.name();
}

// Returns an error for two objects where a report holds one.
absl::Status CheckJoin(const v1::FailureReport& added,
                       const v1::FailureReport& report) {
  for (const OwningObject& object : OwnersFirst(added)) {
    if (object.kind == "Pod" || object.kind == "Job") continue;
    for (const OwningObject& other : OwnersFirst(report)) {
      if (!SameKind(object.kind, other.kind) ||
          IsSameObject(*object.meta, *other.meta)) {
        continue;
      }
      const auto label = [](const OwningObject& one) {
        return Printable(
            WorkloadLabel(one.kind, one.meta->namespace_(), one.meta->name()));
      };
      return Invalid("%s: a report takes one %s and has %s already",
                     label(object), object.kind, label(other));
    }
  }
  return absl::OkStatus();
}

// A singular message replaces the earlier one as a whole, because a merge would
// be neither of them.
void ClearFieldsOf(const Message& added, Message& target) {
  std::vector<const FieldDescriptor*> fields;
  added.GetReflection()->ListFields(added, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!field->is_repeated())
      target.GetReflection()->ClearField(&target, field);
  }
}

absl::Status Join(const v1::DecideRequest& added, v1::DecideRequest& request) {
  if (absl::Status status = CheckJoin(added.report(), request.report());
      !status.ok()) {
    return status;
  }
  v1::FailureReport report = request.report();
  ClearFieldsOf(added.report(), report);
  report.MergeFrom(added.report());
  ClearFieldsOf(added, request);
  if (!added.recent().empty()) request.clear_recent();
  request.MergeFrom(added);
  *request.mutable_report() = std::move(report);
  return absl::OkStatus();
}

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
  if (kind.empty()) return absl::OkStatus();
  if (!field.is_repeated()) return CheckKind(value, kind, path);
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

// Checks a FailureReport like CheckRequestShape(); `path` precedes the field
// names.
absl::Status CheckReportShape(std::string_view report,
                              std::string_view path = "") {
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

// Returns the row of the object's kind; null if reports do not accept it. Any
// version matches, because fields keep their names. Without an apiVersion, any
// group matches, because hand-edited objects often lack it.
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

// Returns the names of the kinds that a report accepts.
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

// Returns what to pass instead of an object that reports do not accept.
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

}  // namespace

void ReportBuilder::Warn(std::string warning) {
  if (warnings_.size() < kMaxWarnings) warnings_.push_back(std::move(warning));
}

absl::Status ReportBuilder::Add(std::string_view source, std::string bytes) {
  if (LooksLikeProtobuf(bytes)) {
    ++objects_;
    return Prefixed(source, AddProtobuf(bytes, *request_.mutable_report()));
  }
  if (IsSlurmText(bytes)) return AddAttempt(source, ReadSlurmText(bytes));
  absl::StatusOr<Documents> documents =
      SplitDocuments(source, std::move(bytes));
  if (!documents.ok()) return documents.status();
  for (std::string& warning : documents->warnings) Warn(std::move(warning));
  for (const std::string& json : documents->json) {
    if (absl::Status status = AddValue(source, json); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status ReportBuilder::AddValue(std::string_view source,
                                     std::string_view json) {
  switch (TypeOfJson(json)) {
    case JsonType::kObject:
      return AddObject(KubernetesObject(source, json));
    case JsonType::kArray:
      for (const std::string_view item : JsonItems(json)) {
        if (absl::Status status = AddValue(source, item); !status.ok()) {
          return status;
        }
      }
      return absl::OkStatus();
    case JsonType::kNull:
      Warn(absl::StrFormat("%s: ignored a null in place of an object", source));
      return absl::OkStatus();
    default:
      return Invalid("%s: found %s, expected an object with kind and metadata",
                     source, Printable(json.substr(0, 40)));
  }
}

absl::Status ReportBuilder::AddObject(const KubernetesObject& object) {
  if (object.kind.empty() && IsSlurmJson(object.text)) {
    return AddAttempt(object.source, ReadSlurmJson(object.text));
  }
  if (object.kind.empty()) return AddOwnMessage(object);
  if (object.kind == "Status") return AddStatus(object);
  if (FieldRow(object) != nullptr) {
    return AddKnownKind(object);
  }
  if (object.kind.ends_with(kListSuffix)) return AddList(object);
  Ignore(object);
  return absl::OkStatus();
}

// A namespace may hold many kinds, so there is one warning per kind.
void ReportBuilder::Ignore(const KubernetesObject& object) {
  auto [entry, is_new] = ignored_.try_emplace(std::string(object.kind));
  Ignored& ignored = entry->second;
  if (is_new) {
    ignored.first = object.Label();
    ignored.warning = warnings_.size();
  }
  ++ignored.count;
  const std::string more =
      ignored.count > 1 ? absl::StrFormat(" and %d more", ignored.count - 1)
                        : "";
  std::string warning = absl::StrFormat("%s%s: ignored, %s", ignored.first,
                                        more, AlternativeTo(object));
  if (is_new) {
    Warn(std::move(warning));
  } else if (ignored.warning < warnings_.size()) {
    warnings_[ignored.warning] = std::move(warning);
  }
}

absl::Status ReportBuilder::AddList(const KubernetesObject& list) {
  const std::vector<std::string_view> items = JsonItems(list.Find("items"));
  const ListReduction reduction(items, list.kind);
  int index = -1;
  for (const std::string_view item : items) {
    if (reduction.IsDropped(static_cast<std::size_t>(++index))) continue;
    if (TypeOfJson(item) != JsonType::kObject) {
      Warn(absl::StrFormat("%s: ignored items[%d], it is not an object",
                           list.Label(), index));
    } else {
      KubernetesObject object(list.source, item);
      // Items of typed lists omit kind and apiVersion.
      if (object.kind.empty()) {
        object.kind =
            list.kind.substr(0, list.kind.size() - kListSuffix.size());
        object.api_version = list.api_version;
      }
      if (absl::Status status = AddObject(object); !status.ok()) return status;
    }
    if (const v1::PodCounts* counts =
            reduction.Find(static_cast<std::size_t>(index))) {
      AddOmitted(*counts, *read_.back().piece.mutable_omitted_pods());
    }
  }
  if (items.empty()) {
    Warn(absl::StrFormat(
        "%s: has no items: does the name, label or namespace asked for exist?",
        list.Label()));
  }
  return absl::OkStatus();
}

// An object with the same UID, as from another file, replaces the earlier one.
ReadObject& ReportBuilder::PlaceFor(const KubernetesObject& object) {
  const std::string_view uid = JsonMemberOf(object.Find("metadata"), "uid");
  if (uid == "null" || uid == "\"\"") return read_.emplace_back();
  const auto [place, is_new] = places_.try_emplace(
      std::string(object.kind) + " " + std::string(uid), read_.size());
  if (is_new) return read_.emplace_back();
  Warn(absl::StrFormat("%s: given twice, the later one is used",
                       object.Label()));
  return read_[place->second] = ReadObject{};
}

absl::Status ReportBuilder::AddKnownKind(const KubernetesObject& object) {
  const Kind& row = *FieldRow(object);
  ReadObject& read = PlaceFor(object);
  read.kind = object.kind;
  read.label = object.Label();
  const FieldDescriptor* field =
      FieldNamed(*v1::FailureReport::descriptor(), row.field);
  const Reflection& reflection = *read.piece.GetReflection();
  Message* message = field->is_repeated()
                         ? reflection.AddMessage(&read.piece, field)
                         : reflection.MutableMessage(&read.piece, field);
  ++objects_;
  const bool is_event = row.name == "Event";
  return Prefixed(
      read.label,
      ParseProtoJson(is_event ? CoreEventJson(object) : object.text, *message));
}

void ReportBuilder::Place(const ReadObject& object, v1::FailureReport& report) {
  const Reflection& reflection = *report.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  object.piece.GetReflection()->ListFields(object.piece, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->number() == v1::FailureReport::kOmittedPodsFieldNumber) continue;
    if (!field->is_repeated() && reflection.HasField(report, field)) {
      Warn(absl::StrFormat(
          "%s: ignored, a report takes one %s and has it already", object.label,
          object.kind));
      return;
    }
  }
  v1::PodCounts omitted = report.omitted_pods();
  AddOmitted(object.piece.omitted_pods(), omitted);
  const bool has_omitted =
      report.has_omitted_pods() || object.piece.has_omitted_pods();
  report.MergeFrom(object.piece);
  if (has_omitted) *report.mutable_omitted_pods() = std::move(omitted);
}

// Reduces pods and events to what one request may hold.
void ReportBuilder::Reduce(v1::FailureReport& report) {
  ReducePods(report);
  const int all = report.events_size();
  const int left_out = ReduceEvents(report);
  if (left_out == 0) return;
  Warn(
      absl::StrFormat("%d of %d events were left out, those about pods that "
                      "were not looked at, those that are no warnings and the "
                      "oldest first",
                      left_out, all));
}

// A Status is the error of a creation.
absl::Status ReportBuilder::AddStatus(const KubernetesObject& object) {
  if (object.String("status") == "Success") {
    Warn(absl::StrFormat("%s: ignored, it reports a success", object.Label()));
    return absl::OkStatus();
  }
  const std::string json = absl::StrFormat(
      R"({"phase":"CREATE","httpCode":%s,"reason":%s,"message":%s,"kind":%s})",
      object.Find("code"), object.Find("reason"), object.Find("message"),
      JsonMemberOf(object.Find("details"), "kind"));
  v1::CreationError error;
  if (absl::Status status = ParseProtoJson(json, error); !status.ok()) {
    return Prefixed(object.Label(), status);
  }
  *request_.mutable_report()->mutable_creation_error() = std::move(error);
  ++objects_;
  return absl::OkStatus();
}

absl::Status ReportBuilder::AddOwnMessage(const KubernetesObject& object) {
  const std::string source(object.source);
  v1::DecideRequest added;
  Message* message = nullptr;
  absl::Status shape;
  if (TypeOfJson(object.Find("report")) == JsonType::kObject) {
    message = &added;
    shape = CheckRequestShape(object.text);
  } else if (NamesFieldOf(object.text, *v1::FailureReport::descriptor())) {
    message = added.mutable_report();
    shape = CheckReportShape(object.text);
  } else {
    return Invalid(
        "%s: found an object without kind, expected a Kubernetes object, a "
        "FailureReport or a DecideRequest",
        source);
  }
  if (!shape.ok()) return Prefixed(source, shape);
  std::vector<std::string> ignored;
  if (absl::Status status = ParseProtoJson(object.text, *message, &ignored);
      !status.ok()) {
    return Prefixed(source, status);
  }
  for (const std::string& name : ignored) {
    Warn(absl::StrFormat("%s: %s", source, name));
  }
  if (absl::Status status = Join(added, request_); !status.ok()) {
    return Prefixed(source, status);
  }
  ++objects_;
  return absl::OkStatus();
}

absl::Status ReportBuilder::AddAttempt(
    std::string_view source, const absl::StatusOr<v1::FailureReport>& report) {
  if (!report.ok()) return Prefixed(source, report.status());
  v1::DecideRequest added;
  *added.mutable_report() = *report;
  ++objects_;
  return Prefixed(source, Join(added, request_));
}

// Treats a log that comes with an attempt as the attempt's output.
void ReportBuilder::GiveLogToAttempt(v1::FailureReport& report) {
  if (!report.has_ended_attempt() || !report.has_exit() ||
      report.exit().has_exit_code() ||
      !report.ended_attempt().log_tail().empty()) {
    return;
  }
  report.mutable_ended_attempt()->set_log_tail(report.exit().message());
  report.clear_exit();
}

absl::StatusOr<v1::DecideRequest> ReportBuilder::Build() {
  if (objects_ > 0) {
    v1::DecideRequest request = request_;
    GiveLogToAttempt(*request.mutable_report());
    for (const ReadObject& object : read_) {
      Place(object, *request.mutable_report());
    }
    if (!read_.empty()) Reduce(*request.mutable_report());
    return request;
  }
  // A warning about the input is more specific than a list of kinds.
  return absl::InvalidArgumentError(
      "there is nothing to explain: " +
      (warnings_.empty()
           ? absl::StrFormat("expected %s, or a Status, FailureReport or "
                             "DecideRequest",
                             absl::StrJoin(SupportedKinds(), ", "))
           : warnings_.front()));
}

std::vector<WorkloadGroup> ReportBuilder::Groups() const {
  int unplaced = 0;
  return GroupByWorkload(read_, unplaced);
}

std::vector<WorkloadReport> ReportBuilder::Workloads() {
  // A report stays one report.
  if (request_.has_report() || read_.size() < 2) return {};
  int unplaced = 0;
  std::vector<WorkloadGroup> groups = GroupByWorkload(read_, unplaced);
  const auto workloads_told =
      std::ranges::count_if(groups, [&](const auto& group) {
        return std::ranges::any_of(group.objects, [&](int object) {
          const std::vector<OwningObject> owning =
              OwnersFirst(read_[static_cast<size_t>(object)].piece);
          // A hand-edited object may belong to another workload of the input.
          return !owning.empty() && !owning.front().meta->uid().empty();
        });
      });
  if (workloads_told < 2) return {};
  if (unplaced > 0) {
    Warn(absl::StrFormat(
        "left out %d events about objects that are not in the input",
        unplaced));
  }
  std::vector<WorkloadReport> workloads;
  for (WorkloadGroup& group : groups) {
    WorkloadReport& workload = workloads.emplace_back();
    for (const int object : group.objects) {
      Place(read_[static_cast<size_t>(object)], workload.report);
    }
    Reduce(workload.report);
    workload.group = std::move(group);
  }
  return workloads;
}

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

absl::Status CheckRequestShape(std::string_view request) {
  return CheckReportShape(JsonMemberOf(request, "report"), "report.");
}

}  // namespace mulligan::cli
