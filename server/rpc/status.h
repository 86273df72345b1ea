// Converts absl::Status to what is sent; the only source of error codes and
// texts. docs/errors.md is the table for callers.
#ifndef MULLIGAN_SERVER_RPC_STATUS_H_
#define MULLIGAN_SERVER_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/rpc/status.pb.h"

namespace mulligan {

// Errors travel in HTTP/2 trailers, which clients limit to 8 KiB after base64.
// Above that the caller would see a transport error instead.
inline constexpr std::size_t kMaxErrorMessageBytes = 512;
inline constexpr std::size_t kMaxErrorDetailBytes = 3000;

// Returns whether callers get an id instead of the text: for every code that
// concerns the server rather than the request.
bool HidesReason(const absl::Status& status);

// Returns RESOURCE_EXHAUSTED, which asks the caller to retry after `delay`
// (google.rpc.RetryInfo): the server is overloaded, but the request is fine.
absl::Status Overloaded(std::string_view message, absl::Duration delay);

// Returns whether Overloaded made `status`.
bool IsOverloaded(const absl::Status& status);

// Returns an internal error's id for answer and log; equal for equal errors.
std::string ErrorId(const absl::Status& status);

// Returns the status for callers, with the RetryInfo of Overloaded and a
// google.rpc.BadRequest of the violations in `status`
// (policy/request/refusal.h). Cut to fit into trailers (kMaxErrorMessageBytes,
// kMaxErrorDetailBytes); the last violation says how many were left out.
// REQUIRES: `status` is not OK.
google::rpc::Status ToRpcStatus(const absl::Status& status);

// Returns the same as the end of a call, with details in
// grpc-status-details-bin.
grpc::Status ToGrpcStatus(const google::rpc::Status& status);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_STATUS_H_
