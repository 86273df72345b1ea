#include "server/unary_call.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <climits>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

bool Parse(const grpc::ByteBuffer& bytes,
           google::protobuf::MessageLite& request) {
  if (grpc::Slice slice; bytes.TrySingleSlice(&slice).ok()) {
    return request.ParseFromArray(slice.begin(),
                                  static_cast<int>(slice.size()));
  }
  // The reader only reads, but takes a pointer that may be written through.
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  return reader.status().ok() && request.ParseFromZeroCopyStream(&reader);
}

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
    default:
      return RejectReason::kInternal;
  }
}

}  // namespace

absl::Status ParseRequest(const grpc::ByteBuffer& bytes,
                          google::protobuf::MessageLite& request) {
  if (!Parse(bytes, request)) {
    return absl::DataLossError(absl::StrFormat(
        "the request's %d bytes are not a valid %s: truncated, another "
        "message, or text that is not UTF-8",
        bytes.Length(), request.GetTypeName()));
  }
  return absl::OkStatus();
}

absl::Status SerializeResponse(const google::protobuf::MessageLite& response,
                               grpc::ByteBuffer& bytes) {
  const std::size_t size = response.ByteSizeLong();
  if (size > INT_MAX) {
    return absl::InternalError(
        absl::StrFormat("an answer of %d bytes cannot be sent", size));
  }
  grpc::Slice slice(size);
  // The slice is ours alone until it is sent. Maps in key order: the same
  // answer has the same bytes on every replica.
  google::protobuf::io::ArrayOutputStream array(
      const_cast<std::uint8_t*>(slice.begin()), static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&array);
  coded.SetSerializationDeterministic(true);
  response.SerializeWithCachedSizes(&coded);
  // The last bytes, before a short slice is copied.
  coded.Trim();
  grpc::ByteBuffer buffer(&slice, 1);
  bytes.Swap(&buffer);
  return absl::OkStatus();
}

google::rpc::Status Reject(const CallEnvironment& environment, RpcMethod method,
                           const CallResult& result) {
  environment.metrics.OnRejected(ReasonOf(result.status));
  // Inside, DATA_LOSS tells unreadable bytes from an unacceptable request.
  if (result.status.code() == absl::StatusCode::kDataLoss) {
    return ToRpcStatus(absl::InvalidArgumentError(result.status.message()));
  }
  if (HidesReason(result.status)) {
    const std::string id = ErrorId(result.status);
    const std::string text = result.status.ToString();
    environment.log.Write(LogLevel::kError, "internal error",
                          {{"error_id", std::string_view(id)},
                           {"method", InfoOf(method).name},
                           {"error", std::string_view(text)}});
  }
  return ToRpcStatus(result.status, result.violations);
}

}  // namespace mulligan
