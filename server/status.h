// From absl::Status to what travels: the only place where codes and texts of
// errors are made. docs/errors.md is the table for callers.
#ifndef MULLIGAN_SERVER_STATUS_H_
#define MULLIGAN_SERVER_STATUS_H_

#include <grpcpp/support/status.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"
#include "policy/validate.h"

namespace mulligan {

// Whether callers see only an id instead of the text of `status`: every code
// that says something about us and not about the request.
bool HidesReason(const absl::Status& status);

// Names an internal error in answer and log. Equal errors have equal ids.
std::string ErrorId(const absl::Status& status);

// The status for callers, with a google.rpc.BadRequest that holds
// `violations`. Cut so that it fits into trailers (server/limits.h); the last
// violation says how many were left out. `status` must not be OK.
google::rpc::Status ToRpcStatus(
    const absl::Status& status,
    const std::vector<FieldViolation>& violations = {});

// The same as the end of a call, details in grpc-status-details-bin.
grpc::Status ToGrpcStatus(const google::rpc::Status& status);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_STATUS_H_
