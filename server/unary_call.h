// What every unary handler does around its own work: parse, count, answer.
//
// Handlers take and give raw bytes (gRPC's raw callback methods) instead of
// messages, for three reasons: both messages live on one arena that starts on
// the stack, so that a typical call allocates nothing of ours; a request that
// does not parse is answered INVALID_ARGUMENT instead of the library's
// INTERNAL; and the request's size is known without computing it.
#ifndef MULLIGAN_SERVER_UNARY_CALL_H_
#define MULLIGAN_SERVER_UNARY_CALL_H_

#include <google/protobuf/arena.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

#include "absl/status/status.h"
#include "policy/request/validate.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/rpc_method.h"
#include "server/snapshot.h"
#include "server/status.h"

namespace mulligan {

// What handlers work with. Everything outlives the server.
struct CallEnvironment {
  const SnapshotStore& snapshots;
  Metrics& metrics;
  const Log& log;
};

// How a handler's work ended.
struct CallResult {
  absl::Status status;
  // Every bad field, when the status is INVALID_ARGUMENT.
  std::vector<FieldViolation> violations;
};

using SteadyClock = std::chrono::steady_clock;

inline double SecondsBetween(SteadyClock::time_point start,
                             SteadyClock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// DATA_LOSS when `bytes` are not a message of the request's type. (Messages
// that are too large never get here: gRPC refuses them.)
absl::Status ParseRequest(const grpc::ByteBuffer& bytes,
                          google::protobuf::MessageLite& request);

absl::Status SerializeResponse(const google::protobuf::MessageLite& response,
                               grpc::ByteBuffer& bytes);

// Counts and, for internal errors, logs a failed call or batch item; gives the
// status for the caller.
google::rpc::Status Reject(const CallEnvironment& environment, RpcMethod method,
                           const CallResult& result);

// Parses a Request, calls `work(const Request&, Response&) -> CallResult` and
// serialises the Response. Counts the call. Never throws.
template <typename Request, typename Response, typename Work>
grpc::Status RunUnary(const CallEnvironment& environment, RpcMethod method,
                      const grpc::ByteBuffer& in, grpc::ByteBuffer& out,
                      Work work) {
  // A pod report needs about 3 KiB, its answer as much again.
  constexpr std::size_t kStackBytes = 16 << 10;
  constexpr std::size_t kMaxBlockBytes = 256 << 10;
  const SteadyClock::time_point start = SteadyClock::now();
  environment.metrics.OnCallStarted(method);
  CallResult result;
  try {
    alignas(8) char block[kStackBytes];
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = sizeof(block);
    options.start_block_size = kStackBytes;
    options.max_block_size = kMaxBlockBytes;
    google::protobuf::Arena arena(options);
    auto* request = google::protobuf::Arena::CreateMessage<Request>(&arena);
    auto* response = google::protobuf::Arena::CreateMessage<Response>(&arena);
    result.status = ParseRequest(in, *request);
    if (result.status.ok()) result = work(*request, *response);
    if (result.status.ok()) result.status = SerializeResponse(*response, out);
  } catch (const std::exception& error) {
    result.status = absl::InternalError(error.what());
  }
  grpc::Status status;
  if (!result.status.ok()) {
    status = ToGrpcStatus(Reject(environment, method, result));
  }
  environment.metrics.OnCallHandled(method, status.error_code(),
                                    SecondsBetween(start, SteadyClock::now()));
  return status;
}

// Answers at once: a handler never waits for anything.
inline grpc::ServerUnaryReactor* FinishWith(
    grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_UNARY_CALL_H_
