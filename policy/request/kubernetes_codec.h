// What Kubernetes' encodings need before plain protobuf code may read them.
// All functions are pure and safe to call from any thread.
#ifndef MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_
#define MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan {

// An object out of its envelope. A bare message carries its type nowhere, so
// this is the only place that has it.
struct EnvelopedObject {
  std::string api_version;  // "v1", "batch/v1"
  std::string kind;         // "Pod"
  std::string raw;          // the object's protobuf bytes
};

// True if `bytes` begin as the protobuf the API server answers and etcd
// stores: the four bytes "k8s\0". Neither JSON, nor YAML, nor a bare Pod, Job,
// Node or Event can begin so.
bool HasKubernetesEnvelope(std::string_view bytes);

// Takes `bytes`, for which HasKubernetesEnvelope() must hold, apart.
// INVALID_ARGUMENT when there is no envelope or it does not parse;
// UNIMPLEMENTED when the object inside is compressed or not protobuf.
absl::StatusOr<EnvelopedObject> UnwrapKubernetesEnvelope(
    std::string_view bytes);

// False for the zero time: Kubernetes writes it as a zero-length message, which
// reads as the epoch, and Go clients that convert it themselves write the year
// 1. No object is older than the epoch, so every earlier time counts as unset.
bool IsSet(const google::protobuf::Timestamp& time);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_KUBERNETES_CODEC_H_
