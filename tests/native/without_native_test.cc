// A core linked without the operators' own rules decides as usual, and says
// that it lacks them when asked.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "policy/native.h"
#include "tests/policy/fixtures.h"
#include "tests/policy/native_test_reports.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using testing::DrainedJob;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::SetOf;
using testing::StatusIs;

v1::DecideRequest RequestOf(const v1::FailureReport& report) {
  v1::DecideRequest request;
  *request.mutable_report() = report;
  request.set_compare_native(true);
  return request;
}

TEST(WithoutNativeTest, DecidesAndWarnsThatNothingCanBeCompared) {
  v1::DecideResponse response;
  ASSERT_THAT(Decide(RequestOf(DrainedJob(6, 1)),
                     *SetOf("budgets { key: 'a' value { limit: 9 } } "
                            "default { action: RETRY budget: 'a' }"),
                     {}, response),
              IsOk());
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.accounting().charged_to(), "a");
  EXPECT_FALSE(response.has_native());
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("MULLIGAN_NATIVE=ON")));
}

TEST(WithoutNativeTest, RefusesAPolicyThatDefersToTheOperator) {
  v1::DecideResponse response;
  EXPECT_THAT(Decide(RequestOf(DrainedJob(6, 1)),
                     *SetOf("native { use_own_spec: true }"), {}, response),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("MULLIGAN_NATIVE=ON")));
}

TEST(WithoutNativeTest, RefusesPastedBlocksAndSemantics) {
  Issues issues;
  LoadPolicies({{"pasted.yaml",
                 "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                 "metadata: {name: a}\n"
                 "spec: {pasted: {job: {backoffLimit: 3}}}\n"}},
               issues);
  EXPECT_THAT(testing::Texts(issues),
              Contains(HasSubstr("MULLIGAN_NATIVE=ON")));
}

}  // namespace
}  // namespace mulligan
