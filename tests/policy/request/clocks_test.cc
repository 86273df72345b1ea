#include "policy/request/clocks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::EqualsProto;
using ::testing::HasSubstr;
using testing::Parse;

// The time of the report.
const google::protobuf::Timestamp kReportedAt = [] {
  google::protobuf::Timestamp now;
  now.set_seconds(7000);
  return now;
}();

std::string At(const char* field, int seconds) {
  return seconds == 0 ? ""
                      : absl::StrCat(field, " { seconds: ", seconds, " } ");
}

// Timestamps of a pod's life; 0: not in the report.
struct Times {
  int created = 0;
  int scheduled = 0;
  int taken = 0;
  int started = 0;
  int finished = 0;
};

v1::FailureReport ReportWith(const Times& times) {
  return Parse<v1::FailureReport>(absl::StrCat(
      "pods { metadata { name: 'p' ", At("creation_timestamp", times.created),
      "} spec { node_name: 'n' } status { ", At("start_time", times.taken),
      "conditions { type: 'PodScheduled' status: 'True' ",
      At("last_transition_time", times.scheduled),
      "} container_statuses { name: 'main' state { terminated { exit_code: 1 ",
      At("started_at", times.started), At("finished_at", times.finished),
      "} } } } }"));
}

struct ClockRow {
  const char* name;
  Times reported;
  Times repaired;
};

class ClockRowTest : public ::testing::TestWithParam<ClockRow> {};

TEST_P(ClockRowTest, AreOne) {
  const ClockRow& row = GetParam();
  v1::FailureReport report = ReportWith(row.reported);
  const v1::FailureReport wanted = ReportWith(row.repaired);
  const bool wrong = HasWrongTimes(report, kReportedAt);
  EXPECT_EQ(RepairTimes(report, kReportedAt).empty(), !wrong);
  EXPECT_EQ(report.DebugString(), wanted.DebugString());
  EXPECT_EQ(wrong,
            ReportWith(row.reported).DebugString() != wanted.DebugString());
  EXPECT_FALSE(HasWrongTimes(report, kReportedAt)) << "one repair is enough";
}

const ClockRow kClocks[] = {
    {"Agree", {1000, 1001, 1001, 1003, 1500}, {1000, 1001, 1001, 1003, 1500}},
    {"AreCutDifferently",
     {1000, 1003, 1001, 1003, 1500},
     {1000, 1003, 1001, 1003, 1500}},
    {"WaitedInAQueueBefore",
     {1000, 5000, 5001, 5002, 5100},
     {1000, 5000, 5001, 5002, 5100}},
    {"BehindAndEndsBeforeItsCreation",
     {1000, 1001, 911, 913, 950},
     {1000, 1001, 1001, 1003, 1040}},
    {"BehindByLessThanTheQueueTook",
     {1000, 5000, 4910, 4911, 6000},
     {1000, 5000, 5000, 5001, 6090}},
    {"BehindWithoutASchedulingTime",
     {1000, 0, 910, 912, 950},
     {1000, 0, 1000, 1002, 1040}},
    {"SetBackBelowItsCreation",
     {1000, 1001, 1001, 1003, 950},
     {1000, 1001, 1001, 1003, 7000}},
    {"SetBackAboveItsCreation",
     {1000, 1001, 1001, 1060, 1050},
     {1000, 1001, 1001, 0, 1050}},
    {"BehindAndSetBack",
     {1000, 1001, 911, 913, 800},
     {1000, 1001, 1001, 1003, 7000}},
    {"Ahead", {1000, 1001, 1091, 1093, 1500}, {1000, 1001, 1091, 1093, 1500}},
    {"AheadOfTheReport",
     {1000, 1001, 1091, 1093, 7090},
     {1000, 1001, 1091, 1093, 7000}},
    {"AheadOfTheReportFromTheBegin",
     {6990, 6991, 7081, 7083, 7086},
     {6990, 6991, 7081, 0, 7000}},
    {"NothingOfTheApiServer", {0, 0, 911, 913, 950}, {0, 0, 911, 913, 950}},
};

INSTANTIATE_TEST_SUITE_P(, ClockRowTest, ::testing::ValuesIn(kClocks),
                         [](const auto& row) { return row.param.name; });

TEST(ClocksTest, AKubeletsEventsMoveWithItsPod) {
  const auto report = [](int pod, int event) {
    v1::FailureReport stamped =
        ReportWith({1000, 1001, pod, pod + 2, pod + 39});
    const auto add = [&stamped](const char* component, int at) {
      *stamped.add_events() = Parse<kubernetes::core::v1::Event>(absl::StrCat(
          "involved_object { kind: 'Pod' name: 'p' } source { component: '",
          component, "' } first_timestamp { seconds: ", at,
          " } last_timestamp { seconds: ", at, " }"));
    };
    add("kubelet", event);
    add("default-scheduler", 1001);
    return stamped;
  };
  v1::FailureReport repaired = report(911, 940);
  EXPECT_THAT(RepairTimes(repaired, kReportedAt),
              HasSubstr("node n is 90 s behind"));
  EXPECT_THAT(repaired, EqualsProto(report(1001, 1030)));
}

}  // namespace
}  // namespace mulligan
