#include "client/fallback.h"

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(FallbackTest, CoversEveryCode) {
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

TEST(FallbackTest, TooLargeRequestsAreNotRetried) {
  EXPECT_EQ(FallbackFor(absl::ResourceExhaustedError("too large")),
            Fallback::kNativePolicy);
  EXPECT_EQ(FallbackFor(absl::UnavailableError("")), Fallback::kRetryLater);
}

// gRPC's memory limit refuses calls before the server sees them.
TEST(FallbackTest, TransportRefusalIsOverload) {
  const absl::Status status =
      absl::ResourceExhaustedError("Received RST_STREAM with error code 11");
  EXPECT_TRUE(IsOverload(status));
  EXPECT_EQ(FallbackFor(status), Fallback::kRetryLater);
  EXPECT_FALSE(IsOverload(absl::ResourceExhaustedError("too large")));
  EXPECT_FALSE(IsOverload(absl::OkStatus()));
}

std::optional<v1::Decision> NativeFail() {
  v1::Decision decision;
  decision.set_action(v1::Decision::FAIL);
  return decision;
}

TEST(FallbackRuleTest, WaitsUnlessNativePathMayDecide) {
  const absl::Status away = absl::UnavailableError("no server");
  const absl::Status wrong = absl::InvalidArgumentError("report is empty");
  const FallbackRule waiting;
  FallbackRule native;
  native.native = NativeFail;
  FallbackRule patient = native;
  patient.patience = absl::Hours(1);
  FallbackRule unsure = native;
  unsure.native = [] { return std::optional<v1::Decision>(); };
  struct Row {
    const char* name;
    const FallbackRule& rule;
    const absl::Status& status;
    absl::Duration since;
    v1::Decision::Action want;
  };
  const Row rows[] = {
      {"without a native path it waits", waiting, away, absl::Hours(2),
       v1::Decision::WAIT},
      {"also if asking again cannot help", waiting, wrong, absl::Hours(2),
       v1::Decision::WAIT},
      {"the native path decides at once", native, away, absl::ZeroDuration(),
       v1::Decision::FAIL},
      {"the native path waits for its patience", patient, away,
       absl::Minutes(1), v1::Decision::WAIT},
      {"the patience ends", patient, away, absl::Hours(2), v1::Decision::FAIL},
      {"patience is not for wrong requests", patient, wrong,
       absl::ZeroDuration(), v1::Decision::FAIL},
      {"it may have no opinion", unsure, away, absl::Hours(2),
       v1::Decision::WAIT},
  };
  for (const Row& row : rows) {
    const v1::Decision decision =
        DecideWithoutAnswer(row.rule, row.since, row.status);
    EXPECT_EQ(decision.action(), row.want) << row.name;
    EXPECT_NE(decision.sentence().find("nothing was charged"),
              std::string::npos)
        << row.name;
    if (row.want == v1::Decision::WAIT) {
      EXPECT_EQ(decision.retry_after().seconds(), 30) << row.name;
    }
  }
}

TEST(RetryDelayTest, IsAbsentWithoutValidDetails) {
  absl::Status status = absl::ResourceExhaustedError("busy");
  EXPECT_EQ(RetryDelay(status), std::nullopt);
  status.SetPayload(kStatusDetailsUrl, absl::Cord("\xff"));
  EXPECT_EQ(RetryDelay(status), std::nullopt);
  EXPECT_EQ(RetryDelay(absl::OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace mulligan
