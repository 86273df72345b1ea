#include "policy/request/kubernetes_codec.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "mulligan/kubernetes/meta/v1/unknown.pb.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kProtobufType =
    "application/vnd.kubernetes.protobuf";

}  // namespace

bool HasKubernetesEnvelope(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

absl::StatusOr<EnvelopedObject> UnwrapKubernetesEnvelope(
    std::string_view bytes) {
  if (!HasKubernetesEnvelope(bytes)) {
    return absl::InvalidArgumentError(
        "no Kubernetes envelope: expected the bytes 6b 38 73 00 first");
  }
  bytes.remove_prefix(kMagic.size());
  kubernetes::meta::v1::Unknown envelope;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !envelope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        "the Kubernetes envelope is damaged: expected a runtime.Unknown "
        "message after the bytes 6b 38 73 00");
  }
  if (!envelope.content_encoding().empty()) {
    return absl::UnimplementedError(absl::StrFormat(
        "the Kubernetes envelope has contentEncoding '%s': expected none",
        Visible(envelope.content_encoding())));
  }
  if (!envelope.content_type().empty() &&
      envelope.content_type() != kProtobufType) {
    return absl::UnimplementedError(absl::StrFormat(
        "the Kubernetes envelope has contentType '%s': expected '%s'",
        Visible(envelope.content_type()), kProtobufType));
  }
  return EnvelopedObject{
      .api_version =
          std::move(*envelope.mutable_type_meta()->mutable_api_version()),
      .kind = std::move(*envelope.mutable_type_meta()->mutable_kind()),
      .raw = std::move(*envelope.mutable_raw())};
}

bool IsSet(const google::protobuf::Timestamp& time) {
  return time.seconds() > 0;
}

}  // namespace mulligan
