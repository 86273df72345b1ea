#include "server/rpc/status.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "google/rpc/error_details.pb.h"
#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/request/refusal.h"
#include "server/observe/text.h"

namespace mulligan {
namespace {

// A single violation must not use up all the room.
constexpr std::size_t kMaxFieldBytes = 256;
constexpr std::size_t kMaxDescriptionBytes = 512;
// Tags and lengths of one violation on the wire, and of the closing one.
constexpr std::size_t kViolationOverhead = 8;
constexpr std::size_t kClosingBytes = 64;
constexpr char kRetryInfoUrl[] = "type.googleapis.com/google.rpc.RetryInfo";

google::rpc::BadRequest MakeBadRequest(
    const std::vector<FieldViolation>& violations) {
  google::rpc::BadRequest details;
  std::size_t bytes = kClosingBytes;
  for (const FieldViolation& violation : violations) {
    std::string field = Truncate(Visible(violation.field), kMaxFieldBytes);
    std::string description =
        Truncate(Visible(violation.description), kMaxDescriptionBytes);
    bytes += field.size() + description.size() + kViolationOverhead;
    if (bytes > kMaxErrorDetailBytes) break;
    auto* added = details.add_field_violations();
    added->set_field(std::move(field));
    added->set_description(std::move(description));
  }
  const auto shown = static_cast<std::size_t>(details.field_violations_size());
  if (shown < violations.size()) {
    details.add_field_violations()->set_description(
        absl::StrFormat("and %d more violations", violations.size() - shown));
  }
  return details;
}

}  // namespace

bool HidesReason(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kPermissionDenied:
      return false;
    default:
      return true;
  }
}

absl::Status Overloaded(std::string_view message, absl::Duration delay) {
  google::rpc::RetryInfo info;
  SetDuration(delay, *info.mutable_retry_delay());
  absl::Status status = absl::ResourceExhaustedError(std::string(message));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

bool IsOverloaded(const absl::Status& status) {
  return status.GetPayload(kRetryInfoUrl).has_value();
}

std::string ErrorId(const absl::Status& status) {
  std::string id;
  AppendHex(StableHash().Add(status.ToString()).value(), id);
  return id;
}

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  google::rpc::Status result;
  if (HidesReason(status)) {
    result.set_code(static_cast<int>(absl::StatusCode::kInternal));
    result.set_message(absl::StrFormat(
        "internal error %s; the server's log has the reason under this id",
        ErrorId(status)));
    return result;
  }
  result.set_code(static_cast<int>(status.code()));
  result.set_message(
      Truncate(Visible(std::string(status.message())), kMaxErrorMessageBytes));
  const std::vector<FieldViolation> violations = ViolationsIn(status);
  if (!violations.empty()) {
    result.add_details()->PackFrom(MakeBadRequest(violations));
  }
  if (const auto info = status.GetPayload(kRetryInfoUrl)) {
    auto& detail = *result.add_details();
    detail.set_type_url(kRetryInfoUrl);
    detail.set_value(std::string(*info));
  }
  return result;
}

grpc::Status ToGrpcStatus(const google::rpc::Status& status) {
  return {
      static_cast<grpc::StatusCode>(status.code()), status.message(),
      status.details().empty() ? std::string() : status.SerializeAsString()};
}

}  // namespace mulligan
