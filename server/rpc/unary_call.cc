#include "server/rpc/unary_call.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/rpc/repair_utf8.h"

namespace mulligan {
namespace {

// Smaller requests cannot become large: two bytes become a few hundred at most.
constexpr std::size_t kUnscannedBytes = 4 << 10;
// Bytes that a parsed request may take: this many, or kMaxGrowth times its
// size. Reports of real clusters take two to four times their size, a batch of
// a thousand tiny ones 2 MiB, kMaxPods of the smallest pods 12 MiB. Requests
// within policy/limits.h are therefore not refused here.
constexpr std::size_t kAlwaysAccepted = 16 << 20;
constexpr std::size_t kMaxGrowth = 6;

constexpr absl::Duration kRetryDelay = absl::Milliseconds(200);
constexpr char kTooManyCalls[] =
    "the server is overloaded: too many calls are waiting";
constexpr char kTooMuchMemory[] =
    "the server is overloaded: open requests take all the memory allowed "
    "(--max-memory)";

RejectReason ReasonOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return RejectReason::kInvalid;
    case absl::StatusCode::kNotFound:
      return RejectReason::kUnknownPolicy;
    case absl::StatusCode::kFailedPrecondition:
      return RejectReason::kForeignLedger;
    case absl::StatusCode::kDataLoss:
      return RejectReason::kMalformed;
    case absl::StatusCode::kCancelled:
      return RejectReason::kCancelled;
    case absl::StatusCode::kDeadlineExceeded:
      return RejectReason::kDeadline;
    case absl::StatusCode::kUnavailable:
      return RejectReason::kStopping;
    case absl::StatusCode::kPermissionDenied:
      return RejectReason::kNotAllowed;
    case absl::StatusCode::kResourceExhausted:
      return IsOverloaded(status) ? RejectReason::kOverload
                                  : RejectReason::kTooExpensive;
    default:
      return RejectReason::kInternal;
  }
}

// Returns the names in a caller's certificate. Skips DNS names that look like a
// URI, because the authority has not checked who owns that URI.
std::vector<std::string> NamesOf(const grpc::AuthContext& caller) {
  static constexpr struct {
    const char* property;
    bool is_uri;
  } kKinds[] = {{GRPC_PEER_URI_PROPERTY_NAME, true},
                {GRPC_PEER_DNS_PROPERTY_NAME, false},
                {GRPC_PEER_IP_PROPERTY_NAME, false},
                {GRPC_PEER_EMAIL_PROPERTY_NAME, false}};
  std::vector<std::string> names;
  for (const auto& [property, is_uri] : kKinds) {
    for (const grpc::string_ref& value : caller.FindPropertyValues(property)) {
      std::string name(value.data(), value.size());
      const bool looks_like_uri = name.find("://") != std::string::npos;
      if (looks_like_uri == is_uri) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

absl::Status ParseRequest(const grpc::ByteBuffer& bytes, const WireShape& shape,
                          google::protobuf::Message& request) {
  // The caller ended its stream before a message was complete.
  if (!bytes.Valid()) {
    return absl::DataLossError(absl::StrFormat(
        "the call ended before its message was complete; expected one %s",
        request.GetTypeName()));
  }
  grpc::Slice slice;
  if (!bytes.TrySingleSlice(&slice).ok() &&
      !bytes.DumpToSingleSlice(&slice).ok()) {
    return absl::InternalError("the request's bytes cannot be read");
  }
  const std::string_view text(reinterpret_cast<const char*>(slice.begin()),
                              slice.size());
  bool repair = false;
  if (text.size() <= kUnscannedBytes) {
    repair = HasInvalidUtf8(shape, text);
  } else {
    const std::size_t bound =
        std::max(kAlwaysAccepted, kMaxGrowth * text.size());
    const WireScan scan = ScanWire(shape, text, bound);
    if (scan.parsed_bytes > bound) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "the request's %d bytes have so many small or empty members that "
          "they "
          "would take more than %d bytes of memory; expected at most %d times "
          "the request's size",
          text.size(), bound, kMaxGrowth));
    }
    repair = scan.has_invalid_utf8;
  }
  if (!request.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    return absl::DataLossError(absl::StrFormat(
        "the request's %d bytes are not a valid %s: truncated, another "
        "message, or text that is not UTF-8",
        bytes.Length(), request.GetTypeName()));
  }
  if (repair) ReplaceInvalidUtf8(request);
  return absl::OkStatus();
}

void WriteMessage(const google::protobuf::MessageLite& message,
                  std::uint8_t* target, std::size_t size) {
  google::protobuf::io::ArrayOutputStream array(target, static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&array);
  coded.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&coded);
  // Flushes the last bytes, because the caller copies `target` next.
  coded.Trim();
}

absl::Status SerializeResponse(const google::protobuf::MessageLite& response,
                               grpc::ByteBuffer& bytes) {
  const std::size_t size = response.ByteSizeLong();
  if (size > INT_MAX) {
    return absl::InternalError(
        absl::StrFormat("an answer of %d bytes cannot be sent", size));
  }
  grpc::Slice slice(size);
  // The slice is not shared until it is sent.
  WriteMessage(response, const_cast<std::uint8_t*>(slice.begin()), size);
  grpc::ByteBuffer buffer(&slice, 1);
  bytes.Swap(&buffer);
  return absl::OkStatus();
}

TraceContext TraceContextOf(const grpc::CallbackServerContext& context) {
  const auto values = [&context](const char* name) {
    std::vector<std::string_view> found;
    const auto range = context.client_metadata().equal_range(name);
    for (auto it = range.first; it != range.second; ++it) {
      found.emplace_back(it->second.data(), it->second.size());
    }
    return found;
  };
  return ReadTraceContext(values(kTraceParent), values(kTraceState));
}

google::rpc::Status Reject(const CallEnvironment& environment, RpcMethod method,
                           const grpc::CallbackServerContext& context,
                           const absl::Status& status) {
  environment.metrics.OnRejected(ReasonOf(status));
  // Internally, DATA_LOSS means unreadable bytes.
  if (status.code() == absl::StatusCode::kDataLoss) {
    return ToRpcStatus(absl::InvalidArgumentError(status.message()));
  }
  if (HidesReason(status)) {
    const std::string id = ErrorId(status);
    const std::string text = status.ToString();
    const TraceContext trace = TraceContextOf(context);
    environment.log.Write(LogLevel::kError, "internal error",
                          {{"error_id", std::string_view(id)},
                           {"method", InfoOf(method).name},
                           {"trace_id", trace.trace_id()},
                           {"error", std::string_view(text)}});
  }
  return ToRpcStatus(status);
}

void UnaryCall::Finish(const absl::Status& status) const {
  if (status.ok()) {
    UnreadAnswers::Sending sending = environment.unread.Add(
        context->c_call(), out->Length(), UnreadAnswers::Clock::now());
    if (!sending) {
      out->Clear();
      return Finish(Overloaded(kTooMuchMemory, kRetryDelay));
    }
    static_cast<TimedContext*>(context)->Keep(std::move(sending));
  }
  grpc::Status answer;
  if (!status.ok()) {
    answer = ToGrpcStatus(Reject(environment, method, *context, status));
  }
  environment.metrics.OnCallHandled(method, answer.error_code(),
                                    SecondsBetween(start, SteadyClock::now()));
  reactor->Finish(answer);
}

void AnswerWithTrace(const UnaryCall& call) {
  const TraceContext trace = TraceContextOf(*call.context);
  if (trace.malformed) call.environment.metrics.OnMalformedTrace();
  if (!trace.parent.empty()) {
    call.context->AddInitialMetadata(kTraceParent, trace.parent);
  }
  if (!trace.state.empty()) {
    call.context->AddInitialMetadata(kTraceState, trace.state);
  }
}

absl::Status CheckCaller(const UnaryCall& call) {
  const AllowList& allowed = call.environment.allowed;
  // Reading the certificate's names costs as much as a small decision.
  if (allowed.allows_any()) return absl::OkStatus();
  return allowed.Check(NamesOf(*call.context->auth_context()));
}

bool Admit(const UnaryCall& call) {
  call.environment.metrics.OnCallStarted(call.method);
  AnswerWithTrace(call);
  if (absl::Status waiting = CheckWaiting(*call.context); !waiting.ok()) {
    call.Finish(waiting);
    return false;
  }
  if (call.environment.arrivals.closed()) {
    call.Finish(absl::UnavailableError("the server is stopping"));
    return false;
  }
  if (absl::Status allowed = CheckCaller(call); !allowed.ok()) {
    call.Finish(allowed);
    return false;
  }
  const auto arrived =
      static_cast<const TimedContext*>(call.context)->arrived();
  if (call.environment.arrivals.Admit(arrived, call.start)) return true;
  call.Finish(Overloaded(kTooManyCalls, kRetryDelay));
  return false;
}

CallPlace CallPlaceOf(const grpc::ByteBuffer& request,
                      int inline_policy_field) {
  // Requests up to this many bytes run where they arrive. Without patterns they
  // take less time than the watch allows there.
  constexpr std::size_t kCheapBytes = 16 << 10;
  if (request.Length() > kCheapBytes) return CallPlace::kPool;
  grpc::Slice slice;
  if (!request.TrySingleSlice(&slice).ok() &&
      !request.DumpToSingleSlice(&slice).ok()) {
    return CallPlace::kPool;
  }
  return HasField({reinterpret_cast<const char*>(slice.begin()), slice.size()},
                  inline_policy_field)
             ? CallPlace::kPool
             : CallPlace::kArrival;
}

void RunInPool(const UnaryCall& call, std::function<void()> run) {
  const CallEnvironment& environment = call.environment;
  const std::size_t bytes = call.in->Length();
  // A waiting request takes its bytes. The share cannot be copied, so the job
  // holds it by pointer.
  auto waiting =
      std::make_shared<MemoryGauge::Share>(environment.memory.Take(2 * bytes));
  if (!*waiting) {
    return call.Finish(Overloaded(kTooMuchMemory, kRetryDelay));
  }
  const bool added = environment.pool.Add([call, run = std::move(run),
                                           waiting](WorkPool::Turn turn) {
    if (turn == WorkPool::Turn::kTooLate) {
      return call.Finish(Overloaded(kTooManyCalls, kRetryDelay));
    }
    if (absl::Status status = CheckWaiting(*call.context); !status.ok()) {
      return call.Finish(status);
    }
    const auto working =
        call.environment.memory.Take(PeakBytes(call.method, call.in->Length()));
    if (!working) {
      return call.Finish(Overloaded(kTooMuchMemory, kRetryDelay));
    }
    run();
  });
  if (!added) call.Finish(Overloaded(kTooManyCalls, kRetryDelay));
}

}  // namespace mulligan
