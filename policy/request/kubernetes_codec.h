// Decodes Kubernetes' encodings for protobuf code. Pure and thread-safe.
#ifndef MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_
#define MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan {

// An object from an envelope. Only the envelope states the object's type.
struct EnvelopedObject {
  std::string api_version;  // "v1", "batch/v1"
  std::string kind;         // "Pod"
  std::string raw;          // the object's protobuf bytes
};

// Returns whether `bytes` start with "k8s\0", like protobuf from the API server
// and etcd, and unlike JSON, YAML and a bare Pod, Job, Node or Event.
bool HasKubernetesEnvelope(std::string_view bytes);

// Returns the object inside the envelope. INVALID_ARGUMENT if there is no
// envelope or it does not parse; UNIMPLEMENTED if the object is compressed or
// not protobuf.
absl::StatusOr<EnvelopedObject> UnwrapKubernetesEnvelope(
    std::string_view bytes);

// Returns false for times up to the epoch. Kubernetes encodes the zero time as
// an empty message, which reads as the epoch; Go clients may write year 1. No
// object is older than the epoch.
bool IsSet(const google::protobuf::Timestamp& time);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_
