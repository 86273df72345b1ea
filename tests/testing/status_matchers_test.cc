#include "tests/testing/status_matchers.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::testing {
namespace {

using ::testing::_;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointee;

TEST(StatusMatchersTest, OkIsOkAndAnErrorIsNot) {
  EXPECT_OK(absl::OkStatus());
  EXPECT_OK(absl::StatusOr<int>(3));
  EXPECT_THAT(absl::InternalError("broken"), Not(IsOk()));
  EXPECT_THAT(absl::StatusOr<int>(absl::InternalError("broken")), Not(IsOk()));
}

TEST(StatusMatchersTest, StatusIsComparesCodeAndMessage) {
  const absl::Status status = absl::NotFoundError("no policy 'training'");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(status, Not(StatusIs(absl::StatusCode::kInternal)));
  EXPECT_THAT(status, StatusIs(_, HasSubstr("'training'")));
  EXPECT_THAT(status, Not(StatusIs(_, HasSubstr("'batch'"))));
}

TEST(StatusMatchersTest, IsOkAndHoldsComparesTheValue) {
  EXPECT_THAT(absl::StatusOr<int>(3), IsOkAndHolds(3));
  EXPECT_THAT(absl::StatusOr<int>(3), Not(IsOkAndHolds(Gt(3))));
  EXPECT_THAT(absl::StatusOr<int>(absl::InternalError("broken")),
              Not(IsOkAndHolds(3)));
}

TEST(StatusMatchersTest, AssertOkAndAssignMovesTheValueOut) {
  absl::StatusOr<std::unique_ptr<int>> seven = std::make_unique<int>(7);
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<int> value, std::move(seven));
  EXPECT_THAT(value, Pointee(7));
}

}  // namespace
}  // namespace mulligan::testing
