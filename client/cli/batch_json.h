// Proto JSON for many messages at once. Protobuf rebuilds its type tables for
// every call, which takes longer than parsing or printing a usual request, so
// whole batches cost less than half of the same messages one by one.
#ifndef MULLIGAN_CLIENT_CLI_BATCH_JSON_H_
#define MULLIGAN_CLIENT_CLI_BATCH_JSON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Parses DecideRequests, each an object that CheckJsonValue accepted. Returns
// one status for each, as ParseProtoJson would; `batch`, which must be empty,
// receives the requests that are OK, in order.
std::vector<absl::Status> ParseRequests(const std::vector<std::string>& json,
                                        v1::BatchDecideRequest& batch);

// The response of each result as compact JSON without a line break. Every
// result must hold a response.
std::vector<absl::StatusOr<std::string>> PrintResponses(
    const v1::BatchDecideResponse& batch);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BATCH_JSON_H_
