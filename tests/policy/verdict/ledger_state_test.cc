// Warnings about a ledger before anything is decided with it.
#include "policy/verdict/ledger_state.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kUnchecked[] = "whose ledger it is was not checked";
constexpr char kLater[] = "is later than observedAt";

TEST_F(DecideTest, AcceptsAnUncheckedLedgerWithAWarning) {
  v1::DecideRequest request = AppError();
  request.mutable_ledger()->set_workload_uid("w");
  EXPECT_THAT(Ask(request).warnings(), Not(Contains(HasSubstr(kUnchecked))));

  request.mutable_report()->mutable_workload()->clear_uid();
  request.mutable_report()->mutable_pods(0)->mutable_metadata()->clear_uid();
  const v1::DecideResponse response = Ask(request);
  EXPECT_THAT(response.warnings(),
              Contains(HasSubstr("ledger.workloadUid is w, but the report")));
  EXPECT_EQ(response.ledger().workload_uid(), "w");

  request.mutable_ledger()->clear_workload_uid();
  EXPECT_THAT(Ask(request).warnings(), Not(Contains(HasSubstr(kUnchecked))));
}

TEST_F(DecideTest, RecordsLaterThanTheReportAreWarnedAbout) {
  const v1::DecideRequest first = AppError(1);
  AskNext(first);
  v1::DecideRequest late = AppError(2);
  late.mutable_report()->mutable_observed_at()->set_seconds(99939);
  EXPECT_THAT(AskNext(late).warnings(),
              Contains(HasSubstr("ledger.history[0] is later")));
  // A failure already decided is answered as before.
  EXPECT_THAT(AskNext(late).warnings(), Not(Contains(HasSubstr(kLater))));
  EXPECT_THAT(AskNext(AppError(3)).warnings(),
              Not(Contains(HasSubstr(kLater))));
}

TEST_F(DecideTest, ClocksMayDifferByAMinute) {
  AskNext(AppError(1));
  v1::DecideRequest late = AppError(2);
  late.mutable_report()->mutable_observed_at()->set_seconds(99940);
  EXPECT_THAT(AskNext(late).warnings(), Not(Contains(HasSubstr(kLater))));
}

}  // namespace
}  // namespace mulligan
