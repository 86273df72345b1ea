#include "client/cli/input/protobuf_input.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/documents.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan::cli {
namespace {

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
  bool parsed = false;
  if (object->kind == "Pod") {
    parsed = Parse(object->raw, *report.add_pods());
  } else if (object->kind == "Job") {
    parsed = Parse(object->raw, *report.add_jobs());
  } else if (object->kind == "Node") {
    parsed = Parse(object->raw, *report.add_nodes());
  } else if (object->kind == "Event" && object->api_version == "v1") {
    parsed = Parse(object->raw, *report.add_events());
  } else if (object->kind.empty()) {
    return absl::InvalidArgumentError(
        "the Kubernetes envelope names no kind: expected that of a Pod, Job, "
        "Node or Event (v1) behind the bytes 6b 38 73 00");
  } else {
    return absl::InvalidArgumentError(absl::StrFormat(
        "is a %s of %s in protobuf, expected a Pod, Job, Node or Event (v1); "
        "fetch other kinds as JSON",
        Printable(object->kind), Printable(object->api_version)));
  }
  if (parsed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("the %s inside the envelope is damaged: expected its "
                      "protobuf bytes",
                      object->kind));
}

}  // namespace

bool LooksLikeProtobuf(std::string_view bytes) {
  if (HasKubernetesEnvelope(bytes)) return true;
  return !bytes.empty() && bytes.front() == kMetadataTag && LooksBinary(bytes);
}

absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report) {
  return HasKubernetesEnvelope(bytes) ? AddEnveloped(bytes, report)
                                      : AddBare(bytes, report);
}

}  // namespace mulligan::cli
