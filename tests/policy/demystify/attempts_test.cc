// How pods are split into attempts: by lifetimes, slots and restart attempts.
#include "policy/demystify/attempts.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

struct PodRow {
  long begin;
  long end;  // 0: runs; -1: failed at an unknown time
  const char* labels = "";
  const char* reason = "Error";
};

struct AttemptsRow {
  const char* name;
  std::vector<PodRow> pods;
  // Pods of each earlier attempt and of the current one: "0,1|2".
  const char* attempts;
  bool gave_up = false;
  const char* rest = "";
};

#define SLOT(index)                                      \
  "labels { key: 'job-name' value: 'j' } labels { key: " \
  "'batch.kubernetes.io/job-completion-index' value: '" index "' }"
#define RESTART(attempt) \
  "labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '" attempt "' }"

constexpr char kSinglePodJob[] = "jobs { metadata { name: 'j' } }";
constexpr char kOfJob[] = "labels { key: 'job-name' value: 'j' }";

const AttemptsRow kAttemptsRows[] = {
    {"OnePod", {{10, 20}}, "0"},
    {"OverlappingLifetimesAreAGang", {{10, 20}, {11, 25}, {12, 22}}, "0,1,2"},
    {"OneAfterAnotherAreAttempts", {{10, 20}, {21, 30}, {31, 40}}, "0|1|2"},
    {"InAnyOrderOfTheReport", {{31, 40}, {10, 20}, {21, 30}}, "1|2|0"},
    {"GangAfterGang", {{10, 20}, {30, 44}, {11, 22}, {31, 40}}, "0,2|1,3"},
    {"TheSecondOfTheEndIsAfterIt", {{10, 20}, {20, 30}}, "0|1"},
    {"ThatBeganAndEndedInOneSecondOverlaps", {{10, 10}, {10, 30}}, "0,1"},
    {"WithoutTimesAGang", {{0, -1}, {0, -1}}, "0,1"},
    {"WithoutTimesOneAfterAnotherInOneSlot",
     {{0, -1, kOfJob}, {0, -1, kOfJob}},
     "0|1",
     false,
     kSinglePodJob},
    {"AnIndexHoldsOnePod",
     {{10, 20, SLOT("0")}, {12, 30, SLOT("0")}, {11, 30, SLOT("1")}},
     "0|1,2"},
    {"RestartAttemptsRegardlessOfTimes",
     {{10, 20, RESTART("0")}, {5, 15, RESTART("1")}},
     "0|1"},
    {"OfOneRestartWhereOneBeginsInTheSecondOfAnEnd",
     {{19, 20, RESTART("1") SLOT("0")},
      {20, 20, RESTART("1") SLOT("1")},
      {10, 15, RESTART("0") SLOT("0")}},
     "2|0,1"},
    {"ReplacedWithinOneRestartInTheSecondOfItsEnd",
     {{10, 20, RESTART("1") SLOT("0")}, {20, 30, RESTART("1") SLOT("0")}},
     "0|1"},
    {"OfOneRestartWithoutSlotsTheSecondOfTheEndIsAfterIt",
     {{10, 20, RESTART("1")}, {20, 30, RESTART("1")}},
     "0|1"},
    {"LateEndsOfTheirOwnAreAnotherIncident",
     {{10, 20}, {11, 20 + kIncidentSpan + 1}},
     "0|1"},
    {"LateEchoesAreNot",
     {{10, 20}, {11, 20 + kIncidentSpan + 1, "", "NCCL"}},
     "0,1"},
    {"ReplacedByOneThatLives", {{10, 20}, {21, 0}}, "0|1"},
    {"SurvivorsAreNotReplacements", {{10, 20}, {9, 0}}, "0,1"},
    {"ReplacedInItsSlot",
     {{10, 20, SLOT("0")}, {21, 0, SLOT("0")}, {10, 0, SLOT("1")}},
     "0|1,2"},
    {"AnotherSlotIsNotAReplacement",
     {{10, 20, SLOT("0")}, {21, 0, SLOT("1")}},
     "0,1"},
    {"OfTwoFailedIndexesTheReplacedOneIsPast",
     {{10, 20, SLOT("0")}, {11, 25, SLOT("1")}, {21, 0, SLOT("0")}},
     "0|1,2"},
    {"OfAnOlderRestartThanThoseThatLive",
     {{10, 20, RESTART("0")}, {15, 0, RESTART("1")}},
     "0|1"},
    {"LivePodsDoNotCountOnceTheOwnerGaveUp", {{10, 20}, {21, 0}}, "0,1", true},
};

class AttemptsTest : public ::testing::TestWithParam<AttemptsRow> {};

TEST_P(AttemptsTest, AreDistinguished) {
  auto report = Report(GetParam().rest);
  for (const PodRow& row : GetParam().pods) {
    auto pod =
        Report(std::string("pods { metadata { ") + row.labels + " } }").pods(0);
    if (row.begin > 0) {
      pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(
          row.begin);
    }
    auto& status = *pod.mutable_status();
    auto& container = *status.add_container_statuses();
    if (row.end == 0) {
      status.set_phase("Running");
      container.mutable_state()->mutable_running();
    } else {
      status.set_phase("Failed");
      auto& end = *container.mutable_state()->mutable_terminated();
      end.set_exit_code(1);
      end.set_reason("Error");
      if (row.reason == std::string("NCCL")) {
        end.set_message("NCCL error: remote process exited");
      }
      if (row.end > 0) end.mutable_finished_at()->set_seconds(row.end);
    }
    *report.add_pods() = pod;
  }
  PatternAllowance patterns;
  const Owners owners(report);
  const Context context(owners, nullptr, {}, patterns);
  const auto members = ReadMembers(context);
  const Attempts attempts = SplitAttempts(
      members, {context.owners.NewestAttempt(), GetParam().gave_up, false});
  std::vector<std::string> parts;
  for (const Attempts::Earlier& earlier : attempts.earlier) {
    parts.push_back(absl::StrJoin(earlier.pods, ","));
  }
  parts.push_back(absl::StrJoin(attempts.current, ","));
  EXPECT_EQ(absl::StrJoin(parts, "|"), GetParam().attempts);
}

INSTANTIATE_TEST_SUITE_P(Lifetimes, AttemptsTest,
                         ::testing::ValuesIn(kAttemptsRows),
                         [](const auto& row) { return row.param.name; });

// OOM at 02:10; another pod starts at 02:20 and fails by itself at 04:30.
TEST(Attempts, ALaterAttemptIsNeverACascade) {
  const auto report = Report(
      Failed("metadata { name: 'a' creation_timestamp { seconds: 7200 } }",
             Exited(137, "OOMKilled", 7800)) +
      Failed("metadata { name: 'b' creation_timestamp { seconds: 8400 } }",
             Exited(1, "Error", "ValueError: bad shape", 16200)));
  Findings findings;
  const v1::Diagnosis diagnosis = Diagnose(report, {}, &findings);
  EXPECT_EQ(diagnosis.culprit().pod(), "b");
  EXPECT_NE(diagnosis.cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(diagnosis.cascades_size(), 0);
  ASSERT_EQ(findings.earlier.size(), 1U);
  EXPECT_EQ(findings.earlier[0].cause, v1::CONTAINER_OOM);
  EXPECT_EQ(findings.earlier[0].culprit.pod, "a");
}

}  // namespace
}  // namespace mulligan::demystify
