// The common part of all unary handlers: admission, parsing, counting,
// answering.
//
// Handlers use raw bytes (gRPC's raw callback methods) instead of messages for
// three reasons:
//
//   1. Both messages are on one arena that starts on the stack, so that a
//      typical call allocates nothing of ours.
//   2. A malformed request gets INVALID_ARGUMENT instead of the library's
//      INTERNAL.
//   3. The request's size is known without computing it.
#ifndef MULLIGAN_SERVER_RPC_UNARY_CALL_H_
#define MULLIGAN_SERVER_RPC_UNARY_CALL_H_

#include <google/protobuf/arena.h>
#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "policy/limits.h"
#include "policy/rules/policy_set.h"
#include "server/admission/arrivals.h"
#include "server/admission/call_watch.h"
#include "server/admission/memory_gauge.h"
#include "server/admission/unread_answers.h"
#include "server/admission/wire_scan.h"
#include "server/admission/work_pool.h"
#include "server/net/tls.h"
#include "server/observe/decision_log.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/rpc_method.h"
#include "server/observe/trace_context.h"
#include "server/policies/snapshot.h"
#include "server/rpc/status.h"

namespace mulligan {

// The environment of handlers. Everything in it outlives the server's calls.
struct CallEnvironment {
  const SnapshotStore& snapshots;
  Metrics& metrics;
  const Log& log;
  WorkPool& pool;
  MemoryGauge& memory;
  UnreadAnswers& unread;
  InlinePolicies& inline_policies;
  // Calls that wait to start where they arrived.
  Arrivals& arrivals;
  // The allowed callers.
  const AllowList& allowed;
  // Null if there are no candidate policies.
  const SnapshotStore* candidate;
  // Null if decisions are not logged.
  DecisionLog* decision_log;
};

// Parses `bytes`, of the type with `shape`, and replaces invalid UTF-8.
// DATA_LOSS if they are malformed; INVALID_ARGUMENT if they would take far more
// memory than bytes. (gRPC refuses messages that are too large.)
absl::Status ParseRequest(const grpc::ByteBuffer& bytes, const WireShape& shape,
                          google::protobuf::Message& request);

// Writes `message` to `target`, which has room for `size` bytes, with maps in
// the order of their keys, so that replicas give identical bytes.
// REQUIRES: ByteSizeLong was called.
void WriteMessage(const google::protobuf::MessageLite& message,
                  std::uint8_t* target, std::size_t size);

absl::Status SerializeResponse(const google::protobuf::MessageLite& response,
                               grpc::ByteBuffer& bytes);

// Returns the caller's trace from the metadata of its call.
TraceContext TraceContextOf(const grpc::CallbackServerContext& context);

// Counts a failed call or batch item, logs internal errors, and returns the
// status for the caller.
google::rpc::Status Reject(const CallEnvironment& environment, RpcMethod method,
                           const grpc::CallbackServerContext& context,
                           const absl::Status& status);

// Returns the bytes of memory that a running call may take.
inline std::size_t PeakBytes(RpcMethod method, std::size_t request_bytes) {
  // Tiny members take more than ten times their bytes; see unary_call.cc.
  constexpr std::size_t kAnyCall = 64 << 10;
  // YAML with values of two bytes takes a hundred times its size while it is
  // read, one file at a time.
  constexpr std::size_t kReadingYaml = 100;
  const std::size_t yaml = method == RpcMethod::kCheckPolicy
                               ? std::min(request_bytes, kMaxCheckedFileBytes)
                               : 0;
  return kAnyCall + 10 * request_bytes + kReadingYaml * yaml;
}

// One call. `in`, `out` and `context` live until it is finished.
struct UnaryCall {
  const CallEnvironment& environment;
  RpcMethod method;
  grpc::CallbackServerContext* context;
  const grpc::ByteBuffer* in;
  grpc::ByteBuffer* out;
  grpc::ServerUnaryReactor* reactor;
  SteadyClock::time_point start;

  // Answers and counts the answer. Refuses if there is no memory to keep the
  // answer until it is read.
  void Finish(const absl::Status& status) const;
};

// Returns the caller's trace with the answer, for proxies and logs on the way.
void AnswerWithTrace(const UnaryCall& call);

// PERMISSION_DENIED if the caller is not on the list.
absl::Status CheckCaller(const UnaryCall& call);

// Counts the call as started and adds its trace to the answer. Returns false if
// it was answered without work: its deadline passed, or too many others wait.
bool Admit(const UnaryCall& call);

// Decides by size and inline policy where to run a request. A message that
// spans two reads of the transport is in several slices.
CallPlace CallPlaceOf(const grpc::ByteBuffer& request, int inline_policy_field);

// Calls `run` in the pool, or answers RESOURCE_EXHAUSTED if there is no room.
void RunInPool(const UnaryCall& call, std::function<void()> run);

// Parses a Request, calls `work(const Request&, Response&, Watch&) ->
// absl::Status` and serializes the Response. Never throws. If the Response is a
// grpc::ByteBuffer, `work` has serialized it.
template <typename Request, typename Response, typename Work>
absl::Status RunUnary(const UnaryCall& call, CallPlace place,
                      const Work& work) {
  // A report of one pod needs about 3 KiB, and its answer as much.
  constexpr std::size_t kStackBytes = 16 << 10;
  constexpr std::size_t kMaxBlockBytes = 256 << 10;
  try {
    alignas(8) char block[kStackBytes];
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = sizeof(block);
    options.start_block_size = kStackBytes;
    options.max_block_size = kMaxBlockBytes;
    google::protobuf::Arena arena(options);
    auto* request = google::protobuf::Arena::CreateMessage<Request>(&arena);
    CallWatch watch(*call.context, place);
    static const WireShape& shape = WireShape::Of(*Request::descriptor());
    absl::Status status = ParseRequest(*call.in, shape, *request);
    if (!status.ok()) return status;
    if constexpr (std::is_same_v<Response, grpc::ByteBuffer>) {
      return work(*request, *call.out, watch);
    } else {
      auto* response = google::protobuf::Arena::CreateMessage<Response>(&arena);
      status = work(*request, *response, watch);
      return status.ok() ? SerializeResponse(*response, *call.out) : status;
    }
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
}

// Answers a cheap call where it arrived, others in the pool. A call that proves
// expensive is repeated in the pool.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* Serve(const CallEnvironment& environment,
                                RpcMethod method, CallPlace place,
                                grpc::CallbackServerContext* context,
                                const grpc::ByteBuffer* in,
                                grpc::ByteBuffer* out, Work work) {
  const UnaryCall call{
      environment,       method, context, in, out, context->DefaultReactor(),
      SteadyClock::now()};
  if (!Admit(call)) return call.reactor;
  if (place == CallPlace::kArrival) {
    const absl::Status status =
        RunUnary<Request, Response>(call, CallPlace::kArrival, work);
    if (!absl::IsAborted(status)) {
      call.Finish(status);
      return call.reactor;
    }
  }
  RunInPool(call, [call, work = std::move(work)] {
    call.Finish(RunUnary<Request, Response>(call, CallPlace::kPool, work));
  });
  return call.reactor;
}

// Answers at once.
inline grpc::ServerUnaryReactor* FinishWith(
    grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_UNARY_CALL_H_
