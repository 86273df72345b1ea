// Kubernetes objects in protobuf, as the API server and Go clients write them.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_PROTOBUF_INPUT_H_
#define MULLIGAN_CLIENT_CLI_INPUT_PROTOBUF_INPUT_H_

#include <string_view>

#include "absl/status/status.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Whether `bytes` are to be read by AddProtobuf: they have the API server's
// envelope, or are binary and begin like an object with metadata.
bool LooksLikeProtobuf(std::string_view bytes);

// Adds a Pod, Job, Node or Event in the API server's envelope, or the bytes of
// a Go `pod.Marshal()` or `job.Marshal()`. Those carry their type nowhere: they
// are a pod when they have a phase that pods have, a Job when they have a pod
// template. INVALID_ARGUMENT for anything else.
absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_PROTOBUF_INPUT_H_
