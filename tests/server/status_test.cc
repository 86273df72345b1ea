#include "server/rpc/status.h"

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "policy/request/refusal.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using testing::BadRequestOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct CodeCase {
  const char* name;
  absl::StatusCode in;
  grpc::StatusCode out;
};

class StatusCodeTest : public ::testing::TestWithParam<CodeCase> {};

TEST_P(StatusCodeTest, MapsCode) {
  const grpc::Status status =
      ToGrpcStatus(ToRpcStatus(absl::Status(GetParam().in, "secret")));
  EXPECT_EQ(status.error_code(), GetParam().out);
  if (GetParam().out == grpc::StatusCode::INTERNAL) {
    EXPECT_THAT(status.error_message(), Not(HasSubstr("secret")));
  } else {
    EXPECT_EQ(status.error_message(), "secret");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, StatusCodeTest,
    ::testing::Values(
        CodeCase{"InvalidArgument", absl::StatusCode::kInvalidArgument,
                 grpc::StatusCode::INVALID_ARGUMENT},
        CodeCase{"NotFound", absl::StatusCode::kNotFound,
                 grpc::StatusCode::NOT_FOUND},
        CodeCase{"FailedPrecondition", absl::StatusCode::kFailedPrecondition,
                 grpc::StatusCode::FAILED_PRECONDITION},
        CodeCase{"ResourceExhausted", absl::StatusCode::kResourceExhausted,
                 grpc::StatusCode::RESOURCE_EXHAUSTED},
        CodeCase{"Unavailable", absl::StatusCode::kUnavailable,
                 grpc::StatusCode::UNAVAILABLE},
        CodeCase{"Internal", absl::StatusCode::kInternal,
                 grpc::StatusCode::INTERNAL},
        CodeCase{"Unknown", absl::StatusCode::kUnknown,
                 grpc::StatusCode::INTERNAL},
        CodeCase{"OutOfRange", absl::StatusCode::kOutOfRange,
                 grpc::StatusCode::INTERNAL}),
    [](const auto& param) { return param.param.name; });

TEST(StatusTest, InternalErrorHasIdOfLogLine) {
  const absl::Status error = absl::InternalError("secret");
  EXPECT_THAT(ToRpcStatus(error).message(), HasSubstr(ErrorId(error)));
}

TEST(StatusTest, CarriesEveryViolation) {
  const grpc::Status status = ToGrpcStatus(
      ToRpcStatus(Refusal("a: bad", {{"a", "bad"}, {"b", "worse"}})));
  const google::rpc::BadRequest details = BadRequestOf(status);
  ASSERT_EQ(details.field_violations_size(), 2);
  EXPECT_EQ(details.field_violations(1).field(), "b");
  EXPECT_EQ(details.field_violations(1).description(), "worse");
}

TEST(StatusTest, NoDetailsWithoutViolations) {
  EXPECT_EQ(ToGrpcStatus(ToRpcStatus(absl::NotFoundError("x"))).error_details(),
            "");
}

TEST(StatusTest, AlwaysFitsIntoTrailers) {
  std::vector<FieldViolation> violations;
  for (int i = 0; i < 5000; ++i) {
    violations.push_back({absl::StrFormat("report.pods[%d].metadata.name", i),
                          std::string(700, 'x')});
  }
  const google::rpc::Status status =
      ToRpcStatus(Refusal(std::string(100000, 'y'), violations));
  EXPECT_LE(status.message().size(), kMaxErrorMessageBytes);
  google::rpc::BadRequest details;
  ASSERT_TRUE(status.details(0).UnpackTo(&details));
  EXPECT_LE(details.ByteSizeLong(), kMaxErrorDetailBytes);
  EXPECT_THAT(
      details.field_violations().rbegin()->description(),
      HasSubstr(absl::StrFormat("and %d more",
                                5000 - (details.field_violations_size() - 1))));
}

TEST(StatusTest, RepairsInvalidUtf8) {
  const google::rpc::Status status =
      ToRpcStatus(Refusal("a\xff", {{"b\xfe", "c\xfd"}}));
  EXPECT_EQ(status.message(), "a\xEF\xBF\xBD");
  google::rpc::BadRequest details;
  ASSERT_TRUE(status.details(0).UnpackTo(&details));
  EXPECT_EQ(details.field_violations(0).field(), "b\xEF\xBF\xBD");
}

}  // namespace
}  // namespace mulligan
