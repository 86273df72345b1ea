#include "policy/budget/stake.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/failures.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::Parse;
using testing::PartiallyEqualsProto;

// A pod that holds two accelerators.
#define POD(name, phase)                                                       \
  "pods { metadata { name: '" name                                             \
  "' } spec { containers { resources { "                                       \
  "limits { key: 'nvidia.com/gpu' value { number_value: 2 } } } } } status { " \
  "phase: '" phase "' } } "
// Parts of an earlier failure of the same kind that was retried.
#define HOURS(seconds) "ran_for { seconds: " seconds " } "
#define BEFORE(more)                                                      \
  "history { cause: APP_ERROR fingerprint: 'f' decision { action: RETRY " \
  "} " more "} "
#define RECENT(window, cause, passed, again)                       \
  "recent { window { seconds: " window " } groups { cause: " cause \
  " passed: " passed " failed_again: " again " } } "

struct StakeRow {
  const char* name;
  const char* report;
  int hours;  // of run time; -1: unknown
  const char* history;
  const char* stake;  // expected fields
};

class StakeTest : public ::testing::TestWithParam<StakeRow> {
 protected:
  v1::Stake Of(const StakeRow& row, const v1::DecideRequest& request = {}) {
    const auto report = Parse<v1::FailureReport>(row.report);
    const auto ledger = Parse<v1::BudgetLedger>(row.history);
    std::optional<absl::Duration> ran;
    if (row.hours >= 0) ran = absl::Hours(row.hours);
    Failure failure = testing::FailureIn(diagnosis_);
    failure.incident.alone = alone_;
    return StakeOf({.report = report,
                    .failure = failure,
                    .ran = ran,
                    .ledger = ledger,
                    .recent = request.recent()});
  }

  v1::Diagnosis diagnosis_ = Parse<v1::Diagnosis>(
      "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f' "
      "culprit { pod: 'a' } finished_at { seconds: 1000000 }");
  bool alone_ = false;
};

TEST_P(StakeTest, CountsHours) {
  EXPECT_THAT(Of(GetParam()),
              PartiallyEqualsProto(Parse<v1::Stake>(GetParam().stake)));
}

INSTANTIATE_TEST_SUITE_P(
    Stake, StakeTest,
    ::testing::Values(
        StakeRow{"OfAPod", POD("a", "Failed"), 3, "",
                 "ran { seconds: 10800 } accelerators: 2 hours: 6 good_hours: "
                 "6 alike: 1"},
        StakeRow{"OfPodsWithoutAccelerators",
                 "pods { status { phase: 'Failed' } } pods { status { phase: "
                 "'Running' } }",
                 3, "", "hours: 6 good_hours: 6"},
        StakeRow{"OfAGang", POD("a", "Failed") POD("b", "Running"), 1, "",
                 "accelerators: 4 hours: 4"},
        StakeRow{"SucceededOrWaitingPodsHoldNothing",
                 POD("a", "Failed") POD("b", "Succeeded") POD("c", "Pending"),
                 1, "", "accelerators: 2 hours: 2"},
        StakeRow{"OfPodsThatAreLeftOut",
                 POD("a", "Failed") "omitted_pods { running: 9 succeeded: 5 }",
                 1, "", "accelerators: 20 hours: 20"},
        StakeRow{
            "SinceTheLastCheckpoint",
            POD("a", "Failed") "progress { advanced_at { seconds: 996400 } }",
            3, "", "hours: 2 good_hours: 6"},
        StakeRow{"ACheckpointBeforeTheRun",
                 POD("a", "Failed") "progress { advanced_at { seconds: 1 } }",
                 3, "", "hours: 6"},
        StakeRow{"AgainAtTheSamePlace", POD("a", "Failed"), 3,
                 BEFORE(HOURS("10800")),
                 "hours: 6 good_hours: 6 alike: 2 failed_again: 1"},
        StakeRow{"GotFurther", POD("a", "Failed"), 3, BEFORE(HOURS("3600")),
                 "good_hours: 8 alike: 1 passed: 1"},
        StakeRow{"GotFurtherByProgress",
                 POD("a", "Failed") "progress { value: 7 }", 3,
                 BEFORE(HOURS("10800") "progress: 5 "),
                 "good_hours: 12 passed: 1"},
        StakeRow{"NoFurtherByProgress",
                 POD("a", "Failed") "progress { value: 5 }", 30,
                 BEFORE(HOURS("3600") "progress: 5 "),
                 "good_hours: 2 failed_again: 1"},
        StakeRow{"WithMoreMemoryItIsAnotherTry", POD("a", "Failed"), 3,
                 "history { cause: APP_ERROR fingerprint: 'f' decision { "
                 "action: RETRY resources { resource: 'memory' factor: 2 } } "
                 "ran_for { seconds: 10800 } }",
                 "alike: 1"},
        StakeRow{"APreemptionIsNotAFailureAndItsHoursAreGood",
                 POD("a", "Failed"), 3,
                 "history { cause: SPOT_RECLAIMED decision { action: RETRY } "
                 "ran_for { seconds: 36000 } }",
                 "good_hours: 26"},
        StakeRow{"NothingIsKnown", "exit { exit_code: 1 }", -1, "",
                 "alike: 1"}),
    [](const auto& test) { return test.param.name; });

TEST_F(StakeTest, OfAPodThatWorksAlone) {
  alone_ = true;
  EXPECT_EQ(Of({"", POD("a", "Failed") POD("b", "Running"), 1, "", ""}).hours(),
            2);
}

TEST_F(StakeTest, UnknownRunTimeIsZeroHours) {
  const v1::Stake stake = Of({"", POD("a", "Failed"), -1, "", ""});
  EXPECT_FALSE(stake.has_ran());
  EXPECT_EQ(stake.hours(), 0);
}

TEST_F(StakeTest, UsesTheOverlappingWindowThatShowsMore) {
  const auto request =
      Parse<v1::DecideRequest>(RECENT("600", "APP_ERROR", "1", "2") RECENT(
          "86400", "APP_ERROR", "4", "8") RECENT("86400", "HANG", "90", "90"));
  const v1::Stake stake = Of({"", POD("a", "Failed"), 1, "", ""}, request);
  EXPECT_EQ(stake.others_passed(), 4);
  EXPECT_EQ(stake.others_failed_again(), 8);
}

}  // namespace
}  // namespace mulligan
