#include "client/cli/report/report.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/client/cli/report/report_log.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::int64_t kHours = 3'600'000;

const Cost& CostOf(const Report& report, By by, const std::string& name) {
  return report.by[static_cast<std::size_t>(by)].at(name);
}

const Cost& EndOf(const Report& report, End end) {
  return report.ends[static_cast<std::size_t>(end)];
}

TEST_F(ReportTest, SumsFailuresByDimension) {
  const Report report =
      Run({{.failure = "f-1"},
           {.failure = "f-2", .hour = 6},
           {.workload = "w-2", .cause = "NODE_LOST", .node = "gpu-2"}},
          ByTeam());
  EXPECT_EQ(report.all.failures, 3);
  EXPECT_EQ(report.all.workloads, 2);
  EXPECT_EQ(report.unit(), Unit::kAccelerator);
  EXPECT_EQ(report.all.lost.accelerator, 6 * kHours);
  const Cost& cause = CostOf(report, By::kCause, "APP_ERROR");
  EXPECT_EQ(cause.failures, 2);
  EXPECT_EQ(cause.workloads, 1) << "one workload that failed twice of it";
  EXPECT_EQ(CostOf(report, By::kTeam, "vision").workloads, 2);
  EXPECT_EQ(CostOf(report, By::kNode, "gpu-2").lost.accelerator, 2 * kHours);
  EXPECT_EQ(CostOf(report, By::kImage, "train:1").failures, 3);
  EXPECT_EQ(CostOf(report, By::kKind, "Job").failures, 3);
}

TEST_F(ReportTest, TeamDefaultsToTheNamespace) {
  EXPECT_EQ(CostOf(Run({{}}), By::kTeam, "ml").failures, 1);
}

TEST_F(ReportTest, CountsARepeatedFailureByItsLastAnswer) {
  const Report report = Run({{.action = "WAIT", .charged_to = ""},
                             {.hour = 3, .cause = "NODE_LOST"},
                             {.hour = 4, .duplicate = true}});
  EXPECT_EQ(report.all.failures, 1);
  EXPECT_EQ(report.repeated, 2);
  EXPECT_EQ(CostOf(report, By::kCause, "NODE_LOST").failures, 1);
  EXPECT_EQ(report.budgets.at("application").charged, 1);
}

TEST_F(ReportTest, CountsHowWorkloadsEnded) {
  const Report report = Run({
      {.workload = "done"},
      Completed("done", 8),
      {.workload = "given-up", .action = "FAIL"},
      {.workload = "waits", .action = "WAIT_FOR_SPEC_UPDATE"},
      {.workload = "open"},
      Completed("never-failed", 8),
  });
  for (const End end :
       {End::kCompleted, End::kGivenUp, End::kWaitsForAuthor, End::kNotKnown}) {
    EXPECT_EQ(EndOf(report, end).workloads, 1) << ReportName(end);
  }
  EXPECT_THAT(ReportText(report), HasSubstr("How 1 workload ended is not"));
}

// mulligan-controller passes the ledger to another object.
TEST_F(ReportTest, FollowsAWorkloadAcrossObjects) {
  struct Case {
    std::string first_failure;
    std::size_t workloads;
  };
  for (const Case& one :
       {Case{"Job/w-1/1", 1}, Case{"", 2}, Case{"JobSet/w-1/1", 2},
        Case{"Job/w-1/one", 2}, Case{"Job/w-1", 2}, Case{"w-1", 2}}) {
    LoggedAnswer again = {.workload = "w-2", .failure = "f-2", .hour = 4};
    LoggedAnswer done = Completed("w-3", 8);
    again.first_failure = done.first_failure = one.first_failure;
    const Report report = Run({{}, again, done});
    EXPECT_EQ(report.all.workloads, one.workloads) << one.first_failure;
    EXPECT_EQ(EndOf(report, End::kCompleted).workloads,
              one.workloads == 1 ? 1 : 0)
        << one.first_failure;
  }
}

TEST_F(ReportTest, CountsRetriesInVain) {
  const Report report = Run(
      {{.failure = "f-1", .hour = 2},
       {.failure = "f-2", .hour = 6},
       {.failure = "f-3", .hour = 10, .action = "FAIL", .exhausted = true}});
  EXPECT_EQ(report.done.in_vain.failures, 2);
  EXPECT_EQ(report.done.in_vain.workloads, 1);
  EXPECT_EQ(report.done.in_vain.lost.accelerator, 4 * kHours)
      << "of the attempts started in vain, without the first";
  EXPECT_EQ(report.budgets.at("application").ended, 1);
}

TEST_F(ReportTest, DoesNotCountUsefulRetriesAsInVain) {
  EXPECT_EQ(Run({{}, {.failure = "f-2", .hour = 6}, Completed("w-1", 12)})
                .done.in_vain.failures,
            0);
  EXPECT_EQ(Run({{.cause = "NODE_LOST"},
                 {.failure = "f-2", .hour = 6, .action = "FAIL"}})
                .done.in_vain.failures,
            0)
      << "it was given up for something else";
  EXPECT_EQ(Run({{.outlook = "CANNOT_RECOVER"}, {.failure = "f-2", .hour = 6}})
                .done.in_vain.failures,
            1)
      << "it could not recover";
}

// The retries happened and failed equally; never giving up saves nothing.
TEST_F(ReportTest, NeverGivingUpDoesNotReduceWaste) {
  Issues issues;
  const auto always =
      LoadPolicies({{"always.yaml",
                     "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                     "metadata: {name: always}\n"
                     "spec:\n  budgets: {b: {limit: 100}}\n"
                     "  default: {action: RETRY, budget: b}\n"}},
                   issues);
  ASSERT_NE(always, nullptr) << issues.front().message;
  const Report report = Run(
      {{.failure = "f-1", .hour = 2, .backoff_limit = 6},
       {.failure = "f-2", .hour = 6, .backoff_limit = 6},
       {.failure = "f-3", .hour = 10, .action = "FAIL", .backoff_limit = 6}},
      ComparedWith(*always));
  for (const Decider side : {Decider::kRecorded, Decider::kCandidate}) {
    EXPECT_EQ(report.verdicts[static_cast<std::size_t>(side)].in_vain.failures,
              2);
  }
}

TEST_F(ReportTest, FollowsTheOperatorUntilItGivesUp) {
  // The controller gives up a Job without retries at its first failure; a lost
  // node is the platform's fault.
  const LoggedAnswer lost = {.cause = "NODE_LOST",
                             .domain = "INFRASTRUCTURE",
                             .charged_to = "infrastructure",
                             .backoff_limit = 0};
  LoggedAnswer again = lost;
  again.failure = "f-2";
  again.hour = 6;
  const Report report = Run({lost, again, Completed("w-1", 12)});
  const auto side = [&](Decider which) -> const Verdicts& {
    return report.verdicts[static_cast<std::size_t>(which)];
  };
  EXPECT_EQ(report.comparable.failures, 2);
  EXPECT_EQ(side(Decider::kRecorded).given_up.workloads, 0);
  EXPECT_EQ(side(Decider::kNative).given_up.workloads, 1);
  EXPECT_EQ(side(Decider::kNative).given_up.lost.accelerator, 2 * kHours);
  EXPECT_EQ(side(Decider::kNative).completed.workloads, 1);
  EXPECT_EQ(side(Decider::kNative).completed.lost.accelerator, 2 * kHours);
  EXPECT_EQ(side(Decider::kRecorded).completed.workloads, 0);
  EXPECT_THAT(ReportText(report),
              HasSubstr("1 workload that the operators would have given up "
                        "completed: Job ml/w-1."));
}

TEST_F(ReportTest, ComparesOnlyWithOperatorsObjects) {
  const Report report = Run({{}, {.failure = "f-2", .hour = 6}});
  EXPECT_EQ(report.comparable.failures, 0);
  EXPECT_THAT(ReportText(report), Not(HasSubstr("BY THE OPERATORS")));
}

TEST_F(ReportTest, CountsCandidateVerdicts) {
  Issues issues;
  const auto strict = LoadPolicies(
      {{"strict.yaml",
        "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
        "metadata: {name: strict}\nspec: {default: {action: FAIL}}\n"}},
      issues);
  ASSERT_NE(strict, nullptr);
  const Report report = Run(
      {{.cause = "NODE_LOST", .domain = "INFRASTRUCTURE", .backoff_limit = 6}},
      ComparedWith(*strict));
  EXPECT_EQ(report.verdicts[static_cast<std::size_t>(Decider::kCandidate)]
                .given_up.workloads,
            1);
  EXPECT_EQ(report.verdicts[static_cast<std::size_t>(Decider::kNative)]
                .given_up.workloads,
            0);
  EXPECT_THAT(ReportText(report), HasSubstr("BY THE CANDIDATE"));
}

TEST_F(ReportTest, DetectsIncidents) {
  std::vector<LoggedAnswer> answers;
  for (int i = 0; i < 6; ++i) {
    answers.push_back({.workload = absl::StrCat("w-", i),
                       .hour = 30,
                       .cause = "NODE_LOST",
                       .domain = "INFRASTRUCTURE"});
  }
  // Not incidents: failures of the program, and single ones of the platform.
  for (int i = 0; i < 6; ++i) {
    answers.push_back({.workload = absl::StrCat("bug-", i), .hour = 40});
  }
  answers.push_back({.workload = "early",
                     .hour = 2,
                     .cause = "NODE_LOST",
                     .domain = "INFRASTRUCTURE"});
  const Report report = Run(answers);
  ASSERT_THAT(report.incidents, SizeIs(1));
  EXPECT_EQ(report.incidents[0].cause, "NODE_LOST");
  EXPECT_EQ(report.incidents[0].cost.workloads, 6);
  EXPECT_EQ(report.incidents[0].to - report.incidents[0].from, 120)
      << "all in one step of two minutes";
}

TEST_F(ReportTest, DetectsIncidentsAcrossBuckets) {
  // Three just before and three just after a ten-minute boundary, and single
  // failures on other days.
  std::string log;
  for (int i = 0; i < 6; ++i) {
    std::string line = LoggedLine({.workload = absl::StrCat("w-", i),
                                   .hour = 30,
                                   .cause = "NODE_LOST",
                                   .domain = "INFRASTRUCTURE"});
    log += absl::StrReplaceAll(
        line, {{R"("observedAt":"2026-11-11T06:00:00Z")",
                absl::StrFormat(R"("observedAt":"2026-11-11T06:%d:00Z")",
                                i < 3 ? 8 : 11)}});
  }
  for (int day = 0; day < 3; ++day) {
    log += LoggedLine({.workload = absl::StrCat("usual-", day),
                       .hour = 100 + 24 * day,
                       .cause = "NODE_LOST",
                       .domain = "INFRASTRUCTURE"});
  }
  const Report report = RunText(log);
  ASSERT_THAT(report.incidents, SizeIs(1));
  EXPECT_EQ(report.incidents[0].cost.workloads, 6);
  EXPECT_EQ(report.incidents[0].to - report.incidents[0].from, 4 * 60);
}

TEST_F(ReportTest, CountsLinesOutsideTheWindow) {
  ReportSettings settings;
  constexpr std::int64_t kDayOfTheLog = 1'794'268'800;  // 2026-11-10
  settings.since = kDayOfTheLog + 3 * 3600;
  settings.until = kDayOfTheLog + 6 * 3600;
  const Report report = Run({{.workload = "before", .hour = 2},
                             {.workload = "first", .hour = 3},
                             {.workload = "after", .hour = 6}},
                            settings);
  EXPECT_EQ(report.all.failures, 1);
  EXPECT_EQ(report.left_out, 2);
  EXPECT_THAT(ReportText(report), HasSubstr("2 lines were left out"));
}

TEST_F(ReportTest, SumsFailuresByOperatorAndWeek) {
  const Report report =
      Run({{.failure = "f-1", .backoff_limit = 6},
           {.failure = "f-2", .hour = 24 * 7, .backoff_limit = 6},
           {.workload = "bare"}});
  EXPECT_EQ(CostOf(report, By::kOperator, "Job").failures, 2);
  EXPECT_EQ(CostOf(report, By::kWeek, "2026-11-09").failures, 2);
  EXPECT_EQ(CostOf(report, By::kWeek, "2026-11-16").failures, 1);
}

TEST_F(ReportTest, CountsALimitOncePerWorkload) {
  const Report report =
      Run({{.failure = "f-1", .action = "FAIL", .exhausted = true},
           {.failure = "f-2", .hour = 6, .action = "FAIL", .exhausted = true}});
  EXPECT_EQ(report.budgets.at("application").ended, 1);
}

TEST_F(ReportTest, ListsTheCostliestFixFirst) {
  std::vector<LoggedAnswer> answers = {
      {.workload = "x", .cause = "NODE_LOST", .problem = "node gone"}};
  for (int i = 0; i < 5; ++i) {
    answers.push_back({.workload = absl::StrCat("w-", i % 4),
                       .failure = absl::StrCat("f-", i),
                       .hour = 2 + i});
  }
  const Report report = Run(answers);
  ASSERT_THAT(report.repair_targets, SizeIs(2));
  EXPECT_EQ(report.repair_targets[0].what, "APP_ERROR, exit-code/1");
  EXPECT_EQ(report.repair_targets[0].cost.failures, 5);
  std::vector<std::string> named;
  for (const Exhibit& example : report.repair_targets[0].examples.all()) {
    named.push_back(example.workload);
  }
  EXPECT_THAT(named, ElementsAre("Job ml/w-0", "Job ml/w-1", "Job ml/w-2"));
  EXPECT_EQ(report.repair_targets[0].examples.all()[0].first_step.text(),
            "read its log");
  EXPECT_EQ(report.repair_targets[1].examples.all()[0].problem, "node gone");
}

TEST_F(ReportTest, DoesNotDependOnThreadsOrTemporaryFiles) {
  std::vector<LoggedAnswer> answers;
  for (int i = 0; i < 300; ++i) {
    answers.push_back({.workload = absl::StrCat("w-", i % 70),
                       .failure = absl::StrCat("f-", i % 260),
                       .hour = i % 48 + 2,
                       .action = i % 7 == 0 ? "FAIL" : "RETRY",
                       .node = absl::StrCat("gpu-", i % 5)});
  }
  const std::string one = ReportJson(Run(answers));
  EXPECT_EQ(ReportJson(Run(answers, With(3))), one);
  EXPECT_EQ(ReportJson(Run(answers, With(2, 4096))), one);
}

TEST_F(ReportTest, DoesNotDependOnOrderWithinASecond) {
  // Two replicas report the same failure within a second, with other findings.
  const LoggedAnswer one = {.cause = "NODE_LOST", .problem = "node gone"};
  const LoggedAnswer other = {.cause = "APP_ERROR", .problem = "it ended"};
  LoggedAnswer third = other;
  third.problem = "it ended with 2";
  EXPECT_EQ(ReportJson(Run({one, other, third})),
            ReportJson(Run({third, other, one})));
}

TEST_F(ReportTest, ReportsTemporaryFileErrors) {
  const char* const before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/proc", 1);
  LogBlocks blocks(
      {folder_.Write("log.jsonl", LoggedLine({}) + LoggedLine({}))});
  const auto report = MakeReport(blocks, With(1, 1));
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_THAT(report.status(),
              testing::StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("a temporary file in /proc")));
}

TEST(CostliestFirstTest, SortsByCoresWithoutAccelerators) {
  Rows rows;
  rows["many"].failures = 9;
  rows["cores"].failures = 1;
  rows["cores"].lost.core = 40;
  rows["accelerators"].failures = 1;
  rows["accelerators"].lost.accelerator = 1;
  std::vector<std::string> names;
  for (const auto& [name, cost] : CostliestFirst(rows, Unit::kAccelerator)) {
    names.push_back(name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("accelerators", "cores", "many"));
}

// Log lines of a Job with backoffLimit 6 whose `pods` pods of two GPUs fail the
// same way after half an hour, with the embedded policy's answers: one in each
// back-off and two while the next attempt runs.
class RetriedByItsOperator : public ReportTest {
 protected:
  std::string Log(int pods, bool completes = false) {
    std::string log;
    v1::BudgetLedger ledger;
    const auto ask = [&](int failed, int running, std::int64_t at) {
      v1::DecisionRecord record;
      record.mutable_decided_at()->set_seconds(at);
      v1::DecideRequest& request = *record.mutable_request();
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(
                      ReportJson(failed, running, at), request.mutable_report())
                      .ok());
      *request.mutable_ledger() = ledger;
      EXPECT_OK(Decide(request, *policies_, record.decided_at(),
                       *record.mutable_response()));
      ledger = record.response().ledger();
      std::string line;
      EXPECT_TRUE(
          google::protobuf::util::MessageToJsonString(record, &line).ok());
      absl::StrAppend(&log, line, "\n");
    };
    for (int failed = 1; failed <= pods; ++failed) {
      ask(failed, 0, End(failed - 1) + 3);
      if (failed == pods && !completes) break;
      ask(failed, 1, End(failed - 1) + 60);
      ask(failed, 1, End(failed - 1) + 600);
    }
    if (completes) ask(pods, 2, End(pods) + 3);
    return log;
  }

 private:
  static constexpr std::int64_t kBegin = 1'794'300'000;
  static std::int64_t Begin(int pod) { return kBegin + pod * 2000; }
  static std::int64_t End(int pod) { return Begin(pod) + 1800; }
  static std::string Time(std::int64_t seconds) {
    return absl::FormatTime(absl::RFC3339_sec, absl::FromUnixSeconds(seconds),
                            absl::UTCTimeZone());
  }

  // `running`: 1 if the next pod runs, 2 if it has succeeded.
  static std::string ReportJson(int failed, int running, std::int64_t at) {
    std::string pods;
    for (int i = 0; i < failed + (running > 0 ? 1 : 0); ++i) {
      const bool ended = i < failed;
      const std::string state =
          ended || running == 2
              ? absl::StrFormat(
                    R"({"terminated":{"exitCode":%d,"reason":"%s",)"
                    R"("message":"%s","startedAt":"%s","finishedAt":"%s"}})",
                    ended ? 1 : 0, ended ? "Error" : "Completed",
                    ended ? "ModuleNotFoundError: No module named 'flash_attn'"
                          : "",
                    Time(Begin(i)), Time(End(i)))
              : absl::StrFormat(R"({"running":{"startedAt":"%s"}})",
                                Time(Begin(i)));
      absl::StrAppendFormat(
          &pods,
          R"(%s{"metadata":{"name":"p-%d","namespace":"ml","uid":"p-%d",)"
          R"("creationTimestamp":"%s","ownerReferences":[{"kind":"Job",)"
          R"("name":"j","uid":"J","controller":true}]},"spec":{)"
          R"("restartPolicy":"Never","containers":[{"name":"main",)"
          R"("resources":{"limits":{"nvidia.com/gpu":"2"}}}]},"status":{)"
          R"("phase":"%s","startTime":"%s","containerStatuses":[{)"
          R"("name":"main","state":%s}]}})",
          i > 0 ? "," : "", i, i, Time(Begin(i)),
          ended          ? "Failed"
          : running == 2 ? "Succeeded"
                         : "Running",
          Time(Begin(i)), state);
    }
    return absl::StrFormat(
        R"({"observedAt":"%s","jobs":[{"metadata":{"name":"j",)"
        R"("namespace":"ml","uid":"J"},"spec":{"backoffLimit":6,)"
        R"("parallelism":1,"completions":1},"status":{"failed":%d%s}}],)"
        R"("pods":[%s]})",
        Time(at), failed,
        running == 1   ? R"(,"active":1)"
        : running == 2 ? R"(,"succeeded":1,"conditions":[{)"
                         R"("type":"Complete","status":"True"}])"
                       : "",
        pods);
  }

  Issues issues_;
  const std::unique_ptr<const PolicySet> policies_ =
      LoadPolicies({EmbeddedPolicy()}, issues_);
};

TEST_F(RetriedByItsOperator, CountsEachFailureOnce) {
  for (const int pods : {1, 2, 4, 6}) {
    const Report report = RunText(Log(pods));
    EXPECT_EQ(report.all.failures, pods);
    EXPECT_EQ(report.all.workloads, 1);
    EXPECT_EQ(report.all.lost.accelerator, pods * kHours) << pods;
    EXPECT_EQ(CostOf(report, By::kCause, "CONFIG_USER_ERROR").failures, pods);
    EXPECT_EQ(CostOf(report, By::kOperator, "Job").failures, pods);
  }
}

TEST_F(RetriedByItsOperator, CountsWorkNotStoppedWhenAdvised) {
  const Report report = RunText(Log(5));
  EXPECT_EQ(report.done.would_stop.workloads, 1);
  EXPECT_EQ(report.done.would_stop.failures, 3) << "advised after the second";
  EXPECT_EQ(report.done.would_stop.lost.accelerator, 3 * kHours);
  EXPECT_EQ(report.done.stopped.workloads, 0);
  EXPECT_THAT(ReportText(report),
              HasSubstr("1 workload was not stopped when advised, which cost "
                        "3.0 h."));
}

TEST_F(RetriedByItsOperator, EstimatesSavingsOfStoppedWork) {
  const Report report = RunText(Log(2));
  EXPECT_EQ(report.done.stopped.workloads, 1);
  EXPECT_EQ(report.done.stopped.lost.accelerator, 4 * kHours)
      << "backoffLimit 6, two of them used";
  EXPECT_EQ(report.done.would_stop.workloads, 0);
  EXPECT_THAT(ReportText(report),
              HasSubstr("1 workload was stopped early, which saved about "
                        "4.0 h."));
}

TEST_F(RetriedByItsOperator, IgnoresCompletedWork) {
  const Report report = RunText(Log(3, /*completes=*/true));
  EXPECT_EQ(report.all.failures, 3);
  EXPECT_EQ(report.done.would_stop.workloads, 0);
  EXPECT_EQ(report.done.stopped.workloads, 0);
  EXPECT_EQ(EndOf(report, End::kCompleted).workloads, 1);
}

}  // namespace
}  // namespace mulligan::cli
