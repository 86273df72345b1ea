#include <google/protobuf/util/json_util.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/report/past_reports.h"
#include "client/cli/report/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// Hours of a day.
struct PodRun {
  int begun;
  int ended;
  int exit_code;
  bool preempted = false;
};

constexpr char kPodFormat[] = R"({
  "metadata": {"name": "train-%d", "namespace": "ml", "uid": "p-%d",
    "creationTimestamp": "%s",
    "labels": {"batch.kubernetes.io/controller-uid": "u-1"},
    "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job",
      "name": "train", "uid": "u-1", "controller": true}]},
  "spec": {"restartPolicy": "Never", "containers": [{"name": "main",
    "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
  "status": {"phase": "%s", "startTime": "%s", "conditions": [%s],
    "containerStatuses": [{"name": "main", "state": {"terminated": {
      "exitCode": %d, "startedAt": "%s", "finishedAt": "%s"}}}]}})";

constexpr char kJobFormat[] = R"({"observedAt": "2026-11-20T23:00:00Z",
  "pods": [%s], "jobs": [{
    "metadata": {"name": "train", "namespace": "ml", "uid": "u-1",
      "creationTimestamp": "2026-11-20T00:00:00Z"},
    "spec": {"backoffLimit": %d, "parallelism": 1, "completions": 1},
    "status": {"failed": %d, "succeeded": %d,
      "conditions": [{"type": "%s", "status": "True",
      "lastTransitionTime": "2026-11-20T22:00:00Z",
      "reason": "%s"}]}}]})";

std::string At(int hour) {
  return absl::StrFormat("2026-11-20T%02d:00:00Z", hour);
}

std::string PodJson(std::size_t number, const PodRun& run) {
  const std::string marked = absl::StrCat(
      R"({"type": "DisruptionTarget", "status": "True", )",
      R"("reason": "PreemptionByScheduler", "lastTransitionTime": ")",
      At(run.ended), "\"}");
  return absl::StrFormat(kPodFormat, number, number, At(run.begun),
                         run.exit_code == 0 ? "Succeeded" : "Failed",
                         At(run.begun), run.preempted ? marked : "",
                         run.exit_code, At(run.begun), At(run.ended));
}

// Returns a Job with its pods at the end of the day.
v1::FailureReport JobReport(const std::vector<PodRun>& runs, int backoff_limit,
                            const std::string& condition) {
  std::string pods;
  int failed = 0;
  for (const PodRun& run : runs) {
    absl::StrAppend(&pods, pods.empty() ? "" : ",",
                    PodJson(static_cast<std::size_t>(&run - runs.data()), run));
    failed += run.exit_code != 0 ? 1 : 0;
  }
  const std::string json = absl::StrFormat(
      kJobFormat, pods, backoff_limit, failed,
      static_cast<int>(runs.size()) - failed, condition,
      condition == "Failed" ? "BackoffLimitExceeded" : "CompletionsReached");
  v1::FailureReport report;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &report).ok())
      << json;
  return report;
}

TEST(RetellTest, ReportsEachFailureAtItsTime) {
  const std::vector<PastReport> tellings =
      PastReports(JobReport({{1, 2, 1}, {3, 5, 1}, {6, 9, 1}}, 2, "Failed"));
  std::vector<int> pods;
  std::vector<std::string> newest;
  std::vector<v1::Decision::Action> done;
  for (const PastReport& telling : tellings) {
    const auto& of = telling.report.pods();
    pods.push_back(of.size());
    newest.push_back(of[of.size() - 1].status().phase());
    done.push_back(telling.done);
  }
  EXPECT_THAT(pods, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(newest, Each("Failed"));
  EXPECT_THAT(done, ElementsAre(v1::Decision::RETRY, v1::Decision::RETRY,
                                v1::Decision::FAIL, v1::Decision::FAIL));
}

TEST(RetellTest, KeepsRunningPodsRunning) {
  const std::vector<PastReport> tellings =
      PastReports(JobReport({{1, 3, 1}, {2, 9, 1, true}}, 6, "Failed"));
  ASSERT_THAT(tellings, SizeIs(3));
  const auto& peer = tellings[0].report.pods(1).status();
  EXPECT_EQ(peer.phase(), "Running");
  EXPECT_TRUE(peer.container_statuses(0).state().has_running());
  EXPECT_THAT(peer.conditions(), SizeIs(0)) << "it was not marked yet";
}

TEST(RetellTest, ReportsPodsThatEndBeforeTheirCreation) {
  const std::vector<PastReport> tellings =
      PastReports(JobReport({{3, 2, 1}}, 0, "Failed"));
  ASSERT_THAT(tellings, SizeIs(2));
  EXPECT_THAT(tellings[0].report.pods(), SizeIs(1));
  EXPECT_EQ(tellings[0].done, v1::Decision::FAIL);
}

TEST(RetellTest, ReportsSimultaneousFailuresTogetherAndLimitsReports) {
  EXPECT_THAT(
      PastReports(JobReport({{1, 3, 1}, {1, 3, 1}, {1, 3, 1}}, 6, "Failed")),
      SizeIs(2));
  v1::FailureReport many;
  const v1::FailureReport one = JobReport({{1, 2, 1}}, 6, "Failed");
  for (int i = 0; i < 500; ++i) {
    auto& ended = *(*many.add_pods() = one.pods(0))
                       .mutable_status()
                       ->mutable_container_statuses(0)
                       ->mutable_state()
                       ->mutable_terminated();
    ended.mutable_finished_at()->set_seconds(1'800'000'000 + 60 * i);
  }
  EXPECT_THAT(PastReports(many), SizeIs(kMaxPastReports));
}

class ClusterReportTest : public ::testing::Test {
 protected:
  Report Of(const std::vector<v1::FailureReport>& workloads) {
    Issues issues;
    const auto policies = LoadPolicies({EmbeddedPolicy()}, issues);
    absl::StatusOr<Report> report = MakeReport(workloads, *policies, {});
    EXPECT_OK(report.status());
    return report.ok() ? *std::move(report) : Report();
  }
};

TEST_F(ClusterReportTest, CountsRetriesOfABugInVain) {
  const Report report =
      Of({JobReport({{1, 2, 1}, {3, 5, 1}, {6, 9, 1}}, 2, "Failed")});
  EXPECT_EQ(report.all.failures, 3);
  EXPECT_EQ(report.all.lost.accelerator,
            std::int64_t{8} * (1 + 2 + 3) * 3'600'000);
  EXPECT_EQ(report.done.in_vain.failures, 2);
  EXPECT_EQ(report.ends[static_cast<std::size_t>(End::kGivenUp)].workloads, 1);
}

TEST_F(ClusterReportTest, OnlyTheOperatorGivesUpAfterPreemption) {
  const Report report = Of({JobReport({{1, 3, 143, true}}, 0, "Failed")});
  const auto side = [&](Decider which) -> const Verdicts& {
    return report.verdicts[static_cast<std::size_t>(which)];
  };
  EXPECT_EQ(side(Decider::kRecorded).given_up.workloads, 1);
  EXPECT_EQ(side(Decider::kCandidate).given_up.workloads, 0);
  EXPECT_EQ(side(Decider::kCandidate).in_vain.failures, 0)
      << "its further course is unknown";
}

TEST_F(ClusterReportTest, CountsCompletionAfterFailures) {
  const Report report =
      Of({JobReport({{1, 3, 143, true}, {4, 9, 0}}, 6, "Complete")});
  EXPECT_EQ(report.all.failures, 1);
  EXPECT_EQ(report.ends[static_cast<std::size_t>(End::kCompleted)].workloads,
            1);
  EXPECT_EQ(report.done.in_vain.failures, 0);
}

}  // namespace
}  // namespace mulligan::cli
