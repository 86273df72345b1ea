// From absl::Status to what travels: the only place where codes and texts of
// errors are made. docs/errors.md is the table for callers.
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

// An error travels in HTTP/2 trailers, which clients cap at 8 KiB after base64;
// beyond that the caller would see a transport error instead of ours.
inline constexpr std::size_t kMaxErrorMessageBytes = 512;
inline constexpr std::size_t kMaxErrorDetailBytes = 3000;

// Whether callers see only an id instead of the text of `status`: every code
// that says something about us and not about the request.
bool HidesReason(const absl::Status& status);

// RESOURCE_EXHAUSTED that asks the caller to stay away for `delay`
// (google.rpc.RetryInfo): the server is overloaded, nothing is wrong with the
// request.
absl::Status Overloaded(std::string_view message, absl::Duration delay);

// Whether Overloaded made `status`.
bool IsOverloaded(const absl::Status& status);

// Names an internal error in answer and log. Equal errors have equal ids.
std::string ErrorId(const absl::Status& status);

// The status for callers, with a google.rpc.BadRequest that holds the
// violations that `status` carries (policy/request/validate.h), and the
// RetryInfo of Overloaded. Cut so that it fits into trailers
// (kMaxErrorMessageBytes, kMaxErrorDetailBytes); the last violation says how
// many were left out. `status` must not be OK.
google::rpc::Status ToRpcStatus(const absl::Status& status);

// The same as the end of a call, details in grpc-status-details-bin.
grpc::Status ToGrpcStatus(const google::rpc::Status& status);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_STATUS_H_
