#include "client/cli/input/kubernetes_object.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/documents.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan::cli {
namespace {

struct Rename {
  std::string_view from;
  std::string_view to;
};

constexpr std::array<Rename, 7> kRenames = {{
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

std::string_view CoreName(std::string_view name) {
  for (const Rename& rename : kRenames) {
    if (rename.from == name) return rename.to;
  }
  return name;
}

// Field 1, length-delimited: the metadata of every object.
constexpr char kMetadataTag = 0x0a;

constexpr std::array<std::string_view, 5> kPodPhases = {
    "Pending", "Running", "Succeeded", "Failed", "Unknown"};

bool Parse(std::string_view bytes, google::protobuf::Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

absl::Status AddBare(std::string_view bytes, v1::FailureReport& report) {
  kubernetes::core::v1::Pod pod;
  if (Parse(bytes, pod) &&
      std::find(kPodPhases.begin(), kPodPhases.end(), pod.status().phase()) !=
          kPodPhases.end()) {
    *report.add_pods() = std::move(pod);
    return absl::OkStatus();
  }
  kubernetes::batch::v1::Job job;
  if (Parse(bytes, job) && !job.metadata().name().empty() &&
      job.spec().has_template_()) {
    *report.add_jobs() = std::move(job);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "is binary data, expected JSON, YAML, or the protobuf of a Pod or Job");
}

absl::Status AddEnveloped(std::string_view bytes, v1::FailureReport& report) {
  const absl::StatusOr<EnvelopedObject> object =
      UnwrapKubernetesEnvelope(bytes);
  if (!object.ok()) return object.status();
  if (object->kind.empty()) {
    return absl::InvalidArgumentError(
        "the Kubernetes envelope names no kind: expected that of a Pod, Job, "
        "Node or Event (v1) behind the bytes 6b 38 73 00");
  }
  google::protobuf::Message* message = nullptr;
  if (object->kind == "Pod") message = report.add_pods();
  if (object->kind == "Job") message = report.add_jobs();
  if (object->kind == "Node") message = report.add_nodes();
  if (object->kind == "Event" && object->api_version == "v1") {
    message = report.add_events();
  }
  if (message == nullptr) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "is a %s of %s in protobuf, expected a Pod, Job, Node or Event (v1); "
        "fetch other kinds as JSON",
        Printable(object->kind), Printable(object->api_version)));
  }
  if (Parse(object->raw, *message)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("the %s inside the envelope is damaged: expected its "
                      "protobuf bytes",
                      object->kind));
}

}  // namespace

KubernetesObject::KubernetesObject(std::string_view input,
                                   std::string_view json)
    : source(input), text(json), members(JsonMembers(json)) {
  kind = String("kind");
  api_version = String("apiVersion");
}

std::string_view KubernetesObject::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return member.value;
  }
  return "null";
}

std::string KubernetesObject::String(std::string_view key) const {
  return JsonStringValue(Find(key));
}

std::string KubernetesObject::Label() const {
  std::string label(source);
  if (!kind.empty()) label += ": " + kind;
  for (const JsonMember& member : JsonMembers(Find("metadata"))) {
    if (member.key == "name") label += " " + JsonStringValue(member.value);
  }
  return Printable(label);
}

std::string CoreEventJson(const KubernetesObject& event) {
  std::string json = "{";
  for (const JsonMember& member : event.members) {
    if (json.size() > 1) json.push_back(',');
    json += QuoteJson(CoreName(member.key));
    json.push_back(':');
    json += member.value;
  }
  json.push_back('}');
  return json;
}

bool LooksLikeProtobuf(std::string_view bytes) {
  if (HasKubernetesEnvelope(bytes)) return true;
  return !bytes.empty() && bytes.front() == kMetadataTag && LooksBinary(bytes);
}

absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report) {
  return HasKubernetesEnvelope(bytes) ? AddEnveloped(bytes, report)
                                      : AddBare(bytes, report);
}

}  // namespace mulligan::cli
