#include "client/fallback.h"

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(FallbackTest, EveryCodeHasOne) {
  using Code = absl::StatusCode;
  EXPECT_EQ(FallbackFor(Code::kOk), Fallback::kNone);
  for (const Code code :
       {Code::kUnavailable, Code::kResourceExhausted, Code::kDeadlineExceeded,
        Code::kAborted, Code::kCancelled}) {
    EXPECT_EQ(FallbackFor(code), Fallback::kRetryLater)
        << absl::StatusCodeToString(code);
  }
  for (const Code code :
       {Code::kInvalidArgument, Code::kNotFound, Code::kFailedPrecondition,
        Code::kPermissionDenied, Code::kUnauthenticated, Code::kUnimplemented,
        Code::kOutOfRange, Code::kInternal, Code::kUnknown, Code::kDataLoss,
        Code::kAlreadyExists}) {
    EXPECT_EQ(FallbackFor(code), Fallback::kNativePolicy)
        << absl::StatusCodeToString(code);
  }
}

TEST(RetryDelayTest, ReadsTheServersRetryInfo) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(2);
  info.mutable_retry_delay()->set_nanos(500'000'000);
  google::rpc::Status details;
  details.add_details()->PackFrom(google::rpc::BadRequest());
  details.add_details()->PackFrom(info);
  absl::Status status = absl::ResourceExhaustedError("busy");
  status.SetPayload(kStatusDetailsUrl, absl::Cord(details.SerializeAsString()));
  EXPECT_EQ(RetryDelay(status), absl::Milliseconds(2500));
  EXPECT_EQ(FallbackFor(status), Fallback::kRetryLater);
}

TEST(FallbackTest, ARequestThatIsTooLargeStaysSo) {
  EXPECT_EQ(FallbackFor(absl::ResourceExhaustedError("too large")),
            Fallback::kNativePolicy);
  EXPECT_EQ(FallbackFor(absl::UnavailableError("")), Fallback::kRetryLater);
}

TEST(RetryDelayTest, IsAbsentWithoutDetailsOrWithBrokenOnes) {
  absl::Status status = absl::ResourceExhaustedError("busy");
  EXPECT_EQ(RetryDelay(status), std::nullopt);
  status.SetPayload(kStatusDetailsUrl, absl::Cord("\xff"));
  EXPECT_EQ(RetryDelay(status), std::nullopt);
  EXPECT_EQ(RetryDelay(absl::OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace mulligan
